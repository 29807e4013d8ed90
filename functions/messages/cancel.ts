import { cancelMessage as contract } from '../../shared/contracts/messages.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { cancel } from '../../shared/domain/messages/operate.ts';
import { messageView } from '../../shared/domain/messages/views.ts';
import { operatePorts } from '../../shared/runtime/compose/operate.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const message = await cancel(operatePorts, actor, params.id);
  return isRefusal(message) ? message : respond(200, messageView(message, actor.scopes.has('pii:full')));
});
