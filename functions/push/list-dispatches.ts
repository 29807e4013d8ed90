import { listPushDispatches as contract } from '../../shared/contracts/push.ts';
import { isRefusal, refuse } from '../../shared/domain/errors.ts';
import { dispatchView } from '../../shared/domain/push/dispatch.ts';
import { cursorRequest } from '../../shared/runtime/compose/cursor-lists.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listPushDispatches, ownPushMessage } from '../../shared/storage/push-reads.ts';

export const handler = operation(contract, async ({ actor, params, query }) => {
  const message = await ownPushMessage(table, actor.organizationId, params.id);
  if (!message) return refuse('NOT_FOUND', 'There is no such push message.');
  const request = await cursorRequest(contract, actor, { ...query, message: message.id });
  const page = await listPushDispatches(table, message, request);
  if (isRefusal(page)) return page;
  const { items, nextCursor } = page;
  return respond(200, { items: items.map(dispatchView), ...(nextCursor === undefined ? {} : { nextCursor }) });
});
