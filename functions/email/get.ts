import { getEmail as contract } from '../../shared/contracts/email.ts';
import { emailView } from '../../shared/domain/email/views.ts';
import { refuse } from '../../shared/domain/errors.ts';
import { table } from '../../shared/runtime/compose/platform.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';
import { readMessage } from '../../shared/storage/message-lists.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await readMessage(table, actor.organizationId, params.id);
  if (message?.channel !== 'email') return refuse('NOT_FOUND', 'There is no such e-mail.');
  return respond(200, emailView(message, actor.scopes.has('pii:full')));
});
