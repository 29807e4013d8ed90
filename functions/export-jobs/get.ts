import { getExportJob as contract } from '../../shared/contracts/export-jobs.ts';
import { exportJobView } from '../../shared/domain/exports/export-job.ts';
import { getExport } from '../../shared/domain/exports/jobs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { exportJobPorts } from '../../shared/wiring/exports/export-jobs.ts';

export const handler = operation(
  contract,
  ({ actor, unmasked, params }) => getExport(exportJobPorts, actor, unmasked, params.id),
  exportJobView,
);
