import { resendMessage as contract } from '../../shared/contracts/messages.ts';
import { resend } from '../../shared/domain/api/resend.ts';
import { queuedMessageView } from '../../shared/domain/tracking/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { resendPorts } from '../../shared/wiring/messages/resend.ts';

export const handler = operation(
  contract,
  ({ actor, params, body, idempotencyKey }) => resend(resendPorts, actor, params.id, body, idempotencyKey),
  (sent, { unmasked }) => queuedMessageView(sent.message, unmasked, sent.replayed),
);
