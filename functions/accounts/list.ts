import { listAccounts } from '../../shared/contracts/organization.ts';
import { ownAccounts } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(listAccounts, async ({ actor, query }) =>
  respond(200, await ownAccounts(actor, query)),
);
