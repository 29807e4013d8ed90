import type { WorkItem } from '../../queues/queues.ts';
import { parseJobKey } from '../../storage/parse-key.ts';

/** Goes on with a job that is due. Each kind is loaded with its first one: most batches of the queue are sends. */
export const processJobItem = async (item: WorkItem): Promise<void> => {
  const job = parseJobKey(item);
  if ('importJob' in job) await (await import('../imports/imports.ts')).processImport(job.importJob);
  else await (await import('../exports/export-jobs.ts')).processExport(job.exportJob);
};
