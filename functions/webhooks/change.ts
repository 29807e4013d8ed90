import { changeWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { changeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const changed = await changeSubscription(webhookPorts, actor, params.id, body);
  return isRefusal(changed) ? changed : respond(200, webhookView(changed));
});
