import { listSmsReplies as contract } from '../../shared/contracts/sms.ts';
import { replyView } from '../../shared/domain/sms/replies.ts';
import { isoWindow } from '../../shared/domain/time.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { listReplyPage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, query: { limit, skip, from, to, inReplyTo } }) => {
  const page = await listReplyPage(table, actor.organizationId, { inReplyTo, ...isoWindow(from, to) }, { limit, skip });
  return respond(200, {
    items: page.items.map((reply) => replyView(reply, actor.scopes.has('pii:full'))),
    total: page.total,
  });
});
