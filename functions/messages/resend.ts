import { resendMessage as contract } from '../../shared/contracts/messages.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { resend } from '../../shared/domain/messages/resend.ts';
import { queuedMessageView } from '../../shared/domain/messages/views.ts';
import { resendPorts } from '../../shared/runtime/compose/resend.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body, idempotencyKey }) => {
  const sent = await resend(resendPorts, actor, params.id, body, idempotencyKey);
  if (isRefusal(sent)) return sent;
  return respond(201, queuedMessageView(sent.message, actor.scopes.has('pii:full'), sent.replayed));
});
