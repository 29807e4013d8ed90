import { listOrganizations as contract } from '../../shared/contracts/operator-stage.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { cursorRequest } from '../../shared/wiring/access/cursor-lists.ts';
import { listOrganizations } from '../../shared/wiring/operator/organizations.ts';

export const handler = operation(contract, async ({ actor, query }) =>
  listOrganizations(actor, await cursorRequest(contract, actor, query)),
);
