import { getMessage as contract } from '../../shared/contracts/messages.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { messageView } from '../../shared/domain/messages/views.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readMessage(table, actor.organizationId, params.id);
  if (!message) return refuse('NOT_FOUND', 'There is no such message.');
  return respond(200, messageView(message, actor.scopes.has('pii:full')));
});
