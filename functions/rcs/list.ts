import { listRcs as contract } from '../../shared/contracts/rcs.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { rcsView, statesOf } from '../../shared/domain/rcs/views.ts';
import { table, vault } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listMessageCursor } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, query: { limit, cursor, ...filter } }) => {
  const { organizationId, env } = actor;
  const { status, channel: via, campaignId } = filter;
  const page = await listMessageCursor(
    table,
    'rcs',
    { status: status && statesOf(status), via, campaignId },
    {
      vault: await vault(),
      scope: { organizationId, env, query: { operation: contract.id, ...filter } },
      cursor,
      limit,
    },
  );
  if (isRefusal(page)) return page;
  const { items, nextCursor } = page;
  return respond(200, {
    items: items.map((message) => rcsView(message, actor.scopes.has('pii:full'))),
    ...(nextCursor === undefined ? {} : { nextCursor }),
  });
});
