import { getSmsReply as contract } from '../../shared/contracts/sms.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { replyView } from '../../shared/domain/sms/replies.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readReply } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const reply = await readReply(table, actor.organizationId, params.id);
  if (!reply) return refuse('NOT_FOUND', 'There is no such reply.');
  return respond(200, replyView(reply, actor.scopes.has('pii:full')));
});
