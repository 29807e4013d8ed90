import { listPushDispatches as contract } from '../../shared/contracts/push.ts';
import { isRefusal, refuse } from '../../shared/domain/errors.ts';
import { dispatchView } from '../../shared/domain/push/dispatch.ts';
import { table, vault } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listPushDispatches, ownPushMessage } from '../../shared/storage/push-reads.ts';

export const handler = operation(contract, async ({ actor, params, query: { limit, cursor } }) => {
  const { organizationId, env } = actor;
  const message = await ownPushMessage(table, organizationId, params.id);
  if (!message) return refuse('NOT_FOUND', 'There is no such push message.');
  const scope = { organizationId, env, query: { operation: contract.id, message: message.id } };
  const page = await listPushDispatches(table, message, { vault: await vault(), scope, cursor, limit });
  if (isRefusal(page)) return page;
  const { items, nextCursor } = page;
  return respond(200, { items: items.map(dispatchView), ...(nextCursor === undefined ? {} : { nextCursor }) });
});
