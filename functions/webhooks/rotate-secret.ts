import { rotateWebhookSecret as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { rotateSecret } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const rotated = await rotateSecret(webhookPorts, actor, params.id, body.overlapHours);
  return isRefusal(rotated) ? rotated : respond(200, { ...webhookView(rotated.subscription), secret: rotated.secret });
});
