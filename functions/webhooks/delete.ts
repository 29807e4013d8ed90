import { deleteWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { revokeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const refused = await revokeSubscription(webhookPorts, actor, params.id);
  return refused ?? respond(204, undefined);
});
