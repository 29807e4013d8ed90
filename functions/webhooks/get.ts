import { getWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { findSubscription } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const found = await findSubscription(webhookPorts, actor, params.id);
  return isRefusal(found) ? found : respond(200, webhookView(found));
});
