import { listPush as contract } from '../../shared/contracts/push.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { isoWindow } from '../../shared/domain/time.ts';
import { cursorRequest } from '../../shared/runtime/compose/cursor-lists.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { pushViews } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listPushMessages } from '../../shared/storage/push-reads.ts';

export const handler = operation(contract, async ({ actor, query }) => {
  const { status, origin, from, to } = query;
  const filter = { status, origin, ...isoWindow(from, to) };
  const page = await listPushMessages(table, filter, await cursorRequest(contract, actor, query));
  return isRefusal(page) ? page : respond(200, { ...page, items: await pushViews(page.items) });
});
