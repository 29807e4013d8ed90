import { cancelExportJob as contract } from '../../shared/contracts/export-jobs.ts';
import { exportJobView } from '../../shared/domain/exports/export-job.ts';
import { cancelExport } from '../../shared/domain/exports/jobs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { exportJobPorts } from '../../shared/wiring/exports/export-jobs.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => cancelExport(exportJobPorts, actor, params.id),
  exportJobView,
);
