import { createWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { createSubscription } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const made = await createSubscription(webhookPorts, actor, body);
  return isRefusal(made) ? made : respond(201, { ...webhookView(made.subscription), secret: made.secret });
});
