import { isRefusal } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { exportRow } from '../../domain/exports/export-row.ts';
import type { ExportJobPorts, ExportRunPorts } from '../../domain/exports/job-ports.ts';
import { runExport } from '../../domain/exports/run-export.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { exportPage } from '../../storage/exports/message-export.ts';
import { exportJobStore } from '../../storage/jobs/export-jobs.ts';
import { exportBucket } from '../../storage/jobs/job-bucket.ts';
import { clock, publishEvents, publishWork, table, vaults } from '../process/aws.ts';
import { jobBucket } from '../process/job-bucket.ts';
import { logger } from '../process/observe.ts';

/** Messages of a page. */
const PAGE = 1_000;

export const exportJobPorts: ExportJobPorts = {
  clock,
  store: exportJobStore(table, publishEvents),
  get bucket() {
    return exportBucket(...jobBucket(), clock);
  },
  enqueue: ({ id, organizationId: owner }) => publishWork([{ kind: 'run_job', ...KEYS.exportJob(id), owner }]),
};

/** The next messages of a job: its place among them is a cursor of its own list. */
const page: ExportRunPorts['page'] = async ({ id, organizationId, env, channel, from, to, unmasked }, cursor) => {
  const scope = { organizationId, env, query: { job: id } };
  const request = { vault: await vaults.cursors(), scope, cursor, limit: PAGE };
  const found = await exportPage(table, channel, { from, to }, request, (message, externalId) =>
    exportRow(message, externalId, unmasked),
  );
  if (isRefusal(found)) throw new TypeError('the cursor of a job is its own');
  return found;
};

/** Goes on with an export that is due. */
export const processExport = (id: Id<'exportJob'>): Promise<void> =>
  runExport({ ...exportJobPorts, page, onFailure: (detail) => logger.warn('export', { detail }) }, id);
