import { listDeliveries as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { findSubscription } from '../../shared/domain/webhooks/manage.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, query: { status, limit, skip } }) => {
  const found = await findSubscription(webhookPorts, actor, params.id);
  if (isRefusal(found)) return found;
  const page = await webhookPorts.deliveries.page(found.id, { status }, { skip, limit });
  return respond(200, { items: page.items.map((delivery) => deliveryView(delivery)), total: page.total });
});
