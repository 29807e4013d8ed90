import { createExportJob as contract } from '../../shared/contracts/export-jobs.ts';
import { exportJobView } from '../../shared/domain/exports/export-job.ts';
import { createExport } from '../../shared/domain/exports/jobs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { exportJobPorts } from '../../shared/wiring/exports/export-jobs.ts';

export const handler = operation(
  contract,
  ({ actor, unmasked, body }) => createExport(exportJobPorts, actor, unmasked, body),
  exportJobView,
);
