import type { CardFileBucket, CardFilePorts } from '../../domain/activities/card-file.ts';
import { abandonCardUpload } from '../../domain/activities/card-files.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { cardFileBucket } from '../../storage/activities/card-file-bucket.ts';
import { cardFileStore } from '../../storage/activities/card-files.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, table } from '../process/aws.ts';
import { jobBucket } from '../process/job-bucket.ts';
import { logger } from '../process/observe.ts';

let bucket: CardFileBucket | undefined;

export const cardFilePorts: CardFilePorts = {
  clock,
  store: cardFileStore(table),
  // Opened by the first call that needs it, so that refusals work without the setting.
  get bucket() {
    bucket ??= cardFileBucket(...jobBucket());
    return bucket;
  },
  onFailure: (detail) => logger.warn('card file', { detail }),
};

/** Deletes the remains of a card file's upload, or the bytes of a deleted file. */
export const processAbandonedCardUpload = (item: WorkItem): Promise<void> =>
  abandonCardUpload(cardFilePorts, PARSE_KEY.cardUpload(item));
