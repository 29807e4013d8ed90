import { rotateWebhookSecret as contract } from '../../shared/contracts/webhooks.ts';
import { rotateSecret } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => rotateSecret(webhookPorts, actor, params.id, body.overlapHours),
  (rotated) => ({ ...webhookView(rotated.subscription), secret: rotated.secret }),
);
