import { listContactImports as contract } from '../../shared/contracts/contact-imports.ts';
import { type ImportJob, importJobView } from '../../shared/domain/imports/import-job.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { listImports } from '../../shared/wiring/imports/imports.ts';

export const handler = operation(
  contract,
  async ({ actor, query }) => listImports(await cursorRequest(contract, actor, query)),
  itemsAs((job: ImportJob) => importJobView({ job })),
);
