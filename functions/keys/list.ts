import { listKeys } from '../../shared/contracts/keys.ts';
import { keys } from '../../shared/runtime/compose/access.ts';
import { operation } from '../../shared/runtime/operation.ts';

export const handler = operation(listKeys, async ({ actor, query }) => ({ status: 200 as const, body: await keys.list(actor, query) }));
