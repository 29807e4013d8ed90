import { listExportJobs as contract } from '../../shared/contracts/export-jobs.ts';
import { type ExportJob, exportJobView } from '../../shared/domain/exports/export-job.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { listExports } from '../../shared/wiring/exports/export-jobs.ts';

export const handler = operation(
  contract,
  async ({ actor, query }) => listExports(await cursorRequest(contract, actor, query)),
  itemsAs((job: ExportJob) => exportJobView({ job })),
);
