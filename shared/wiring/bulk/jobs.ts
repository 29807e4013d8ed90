import type { WorkItem } from '../../queues/queues.ts';
import { UnreadableJob } from '../../storage/jobs/claims.ts';
import { parseJobKey } from '../../storage/parse-key.ts';
import { alertFailedJob } from '../process/failed-job.ts';

/** Continues a job that is due. Each kind is loaded on first use: most batches of the queue are sends. */
export const processJobItem = async (item: WorkItem): Promise<void> => {
  const job = parseJobKey(item);
  try {
    if ('importJob' in job) await (await import('../imports/imports.ts')).processImport(job.importJob);
    else await (await import('../exports/export-jobs.ts')).processExport(job.exportJob);
  } catch (error) {
    if (!(error instanceof UnreadableJob)) throw error;
    alertFailedJob('importJob' in job ? job.importJob : job.exportJob, error.message);
  }
};
