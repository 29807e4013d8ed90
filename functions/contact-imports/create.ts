import { createContactImport as contract } from '../../shared/contracts/contact-imports.ts';
import { importJobView } from '../../shared/domain/imports/import-job.ts';
import { createImport } from '../../shared/domain/imports/jobs.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { importJobPorts } from '../../shared/wiring/imports/imports.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createImport(importJobPorts, actor, body),
  importJobView,
);
