import { importRow } from '../../contracts/contact-import.ts';
import { PERSON_LOOKUPS } from '../../domain/access/rate-limits.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { ImportJobPorts, ImportRunPorts } from '../../domain/imports/ports.ts';
import { runImport } from '../../domain/imports/run-import.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import type { CursorRequest } from '../../storage/client/cursor-pages.ts';
import { importJobStore, listImportJobs } from '../../storage/jobs/import-jobs.ts';
import { importBucket } from '../../storage/jobs/job-bucket.ts';
import { admitLookup } from '../access/lookups.ts';
import { importPorts } from '../contacts/contacts.ts';
import { clock, publishEvents, publishWork, table } from '../process/aws.ts';
import { alertFailedJob } from '../process/failed-job.ts';
import { jobBucket } from '../process/job-bucket.ts';
import { logger } from '../process/observe.ts';

export const importJobPorts: ImportJobPorts = {
  clock,
  store: importJobStore(table, publishEvents),
  get bucket() {
    return importBucket(...jobBucket(), clock);
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
  onFailed: (job) => alertFailedJob(job.id, 'every attempt at a part of an import failed'),
});

/** A page of an organization's imports. */
export const listImports = (request: CursorRequest) => listImportJobs(table, request);

/** Continues an import that is due. */
export const processImport = (id: Id<'importJob'>): Promise<void> => runImport(runPorts(), id);
