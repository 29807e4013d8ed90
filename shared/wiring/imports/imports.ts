import { importRow } from '../../contracts/contact-import.ts';
import { PERSON_LOOKUPS } from '../../domain/access/rate-limits.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { ImportBucket, ImportJobPorts, ImportRunPorts } from '../../domain/imports/ports.ts';
import { runImport } from '../../domain/imports/run-import.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { bucketClient } from '../../storage/client/bucket-client.ts';
import type { CursorRequest } from '../../storage/client/cursor-pages.ts';
import { importJobStore, listImportJobs } from '../../storage/jobs/import-jobs.ts';
import { importBucket } from '../../storage/jobs/job-bucket.ts';
import { admitLookup } from '../access/lookups.ts';
import { importPorts } from '../contacts/contacts.ts';
import { clock, publishEvents, publishWork, settings, table } from '../process/aws.ts';
import { logger } from '../process/observe.ts';

let bucket: ImportBucket | undefined;
/** Opened by the first job that needs it, so that refusals work without the setting. */
const openBucket = (): ImportBucket => {
  if (!settings.UPLOAD_BUCKET) throw new Error('UPLOAD_BUCKET must be set for jobs');
  return importBucket(bucketClient(settings.S3_ENDPOINT), settings.UPLOAD_BUCKET, clock);
};

export const importJobPorts: ImportJobPorts = {
  clock,
  store: importJobStore(table, publishEvents),
  get bucket() {
    bucket ??= openBucket();
    return bucket;
  },
  admit: (actor) =>
    admitLookup(actor, { operation: 'contact-imports.start', filters: ['phone'], people: PERSON_LOOKUPS.burst }),
  enqueue: ({ id, organizationId: owner }) => publishWork([{ kind: 'run_job', ...KEYS.importJob(id), owner }]),
};

const runPorts = (): ImportRunPorts => ({
  ...importJobPorts,
  contacts: importPorts,
  parse: importRow,
  onFailure: (detail) => logger.warn('import', { detail }),
});

/** A page of an organization's imports. */
export const listImports = (request: CursorRequest) => listImportJobs(table, request);

/** Goes on with an import that is due. */
export const processImport = (id: Id<'importJob'>): Promise<void> => runImport(runPorts(), id);
