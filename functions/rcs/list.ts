import { listRcs as contract } from '../../shared/contracts/rcs.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { rcsView, statesOf } from '../../shared/domain/rcs/views.ts';
import { cursorRequest } from '../../shared/runtime/compose/cursor-lists.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listMessageCursor } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, query }) => {
  const { status, channel: via, campaignId } = query;
  const filter = { status: status && statesOf(status), via, campaignId };
  const page = await listMessageCursor(table, 'rcs', filter, await cursorRequest(contract, actor, query));
  if (isRefusal(page)) return page;
  const items = page.items.map((message) => rcsView(message, actor.scopes.has('pii:full')));
  return respond(200, { ...page, items });
});
