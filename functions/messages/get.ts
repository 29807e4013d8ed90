import { getMessage as contract } from '../../shared/contracts/messages.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { storedView } from '../../shared/domain/messages/views.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readStored } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readStored(table, actor.organizationId, params.id);
  if (!message) return refuse('NOT_FOUND', 'There is no such message.');
  return respond(200, storedView(message, actor.scopes.has('pii:full')));
});
