import { getDelivery as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { attemptsOf, findDelivery } from '../../shared/domain/webhooks/history.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const found = await findDelivery(webhookPorts, actor, params.id, params.deliveryId);
  return isRefusal(found) ? found : respond(200, deliveryView(found, await attemptsOf(webhookPorts, actor, found)));
});
