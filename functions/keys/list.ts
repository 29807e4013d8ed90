import { listKeys } from '../../shared/contracts/keys.ts';
import { keys } from '../../shared/runtime/compose/access.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(listKeys, async ({ actor, query }) => respond(200, await keys.list(actor, query)));
