import { listPush as contract } from '../../shared/contracts/push.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { isoWindow } from '../../shared/domain/time.ts';
import { table, vault } from '../../shared/runtime/compose/platform.ts';
import { pushViews } from '../../shared/runtime/compose/push.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listPushMessages } from '../../shared/storage/push-reads.ts';

export const handler = operation(contract, async ({ actor, query: { limit, cursor, ...filter } }) => {
  const { organizationId, env } = actor;
  const { status, origin, from, to } = filter;
  const page = await listPushMessages(
    table,
    { status, origin, ...isoWindow(from, to) },
    {
      vault: await vault(),
      scope: { organizationId, env, query: { operation: contract.id, ...filter } },
      cursor,
      limit,
    },
  );
  if (isRefusal(page)) return page;
  const { items, nextCursor } = page;
  return respond(200, { items: await pushViews(items), ...(nextCursor === undefined ? {} : { nextCursor }) });
});
