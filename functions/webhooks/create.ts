import { createWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { createSubscription } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, body }) => createSubscription(webhookPorts, actor, body),
  (made) => ({ ...webhookView(made.subscription), secret: made.secret }),
);
