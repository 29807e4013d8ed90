import { listMessages as contract } from '../../shared/contracts/messages.ts';
import { storedView } from '../../shared/domain/messages/views.ts';
import { isoWindow } from '../../shared/domain/time.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listAllMessages } from '../../shared/storage/message-merge.ts';

export const handler = operation(contract, async ({ actor, query: { limit, skip, from, to, ...filter } }) => {
  const page = await listAllMessages(
    table,
    actor.organizationId,
    { ...filter, ...isoWindow(from, to) },
    { limit, skip },
  );
  return respond(200, {
    items: page.items.map((message) => storedView(message, actor.scopes.has('pii:full'))),
    total: page.total,
  });
});
