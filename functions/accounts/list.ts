import { listAccounts } from '../../shared/contracts/organization.ts';
import { ownAccounts } from '../../shared/runtime/compose/access.ts';
import { operation } from '../../shared/runtime/operation.ts';

export const handler = operation(listAccounts, async ({ actor, query }) => ({ status: 200 as const, body: await ownAccounts(actor, query) }));
