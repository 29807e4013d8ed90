import type { MediaPorts, UploadBucket } from '../../domain/channels/whatsapp/media/ports.ts';
import { abandonUpload } from '../../domain/channels/whatsapp/media/presigned.ts';
import { sandboxMediaApi } from '../../domain/channels/whatsapp/media/sandbox.ts';

import { openFileSpool } from '../../providers/media/spool.ts';
import { graphAddress, metaMediaApi } from '../../providers/meta/media.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { readProviderSettings } from '../../storage/access/providers.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { mediaStore } from '../../storage/whatsapp/media.ts';
import { uploadBucket } from '../../storage/whatsapp/media-bucket.ts';
import { clock, providerIo, settings, table, vaults } from '../process/aws.ts';
import { logger } from '../process/observe.ts';
import { numberPorts } from './numbers.ts';

let bucket: UploadBucket | undefined;
/** Opened by the first upload that needs it, so that refusals work without the setting. */
const openBucket = (): UploadBucket => {
  if (!settings.UPLOAD_BUCKET) throw new Error('UPLOAD_BUCKET must be set for operations that take uploads');
  return uploadBucket(settings.UPLOAD_BUCKET, settings.S3_ENDPOINT);
};

const MISSING =
  'No provider of whatsapp is set up: run `npm run admin -- provider set --env live --channel whatsapp --provider NAME --file SETTINGS.json`.';

/** Meta's media API, at the address in the operator's WhatsApp settings. */
const liveMediaApi: MediaPorts['mediaApi'] = async () => {
  const [found] = (await readProviderSettings(table, await vaults.providers(), 'whatsapp')).values();
  if (found === undefined) return { missing: MISSING };
  return metaMediaApi(providerIo, graphAddress(found));
};

/** Only the live stage calls Meta. */
export const mediaPorts: MediaPorts = {
  clock,
  store: mediaStore(table),
  mediaApi: settings.STAGE === 'live' ? liveMediaApi : async () => sandboxMediaApi,
  get bucket() {
    bucket ??= openBucket();
    return bucket;
  },
  openSpool: openFileSpool,
  numbers: numberPorts.numbers,
  onFailure: (detail) => logger.warn('media upload', { detail }),
};

/** Deletes the rest of an upload that was never completed. */
export const processAbandonedUpload = async (item: WorkItem): Promise<void> =>
  abandonUpload(mediaPorts, PARSE_KEY.upload(item));
