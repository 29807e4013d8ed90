import { replayDelivery as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { replayOne } from '../../shared/domain/webhooks/history.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const delivery = await replayOne(webhookPorts, actor, params.id, params.deliveryId);
  return isRefusal(delivery) ? delivery : respond(202, deliveryView(delivery));
});
