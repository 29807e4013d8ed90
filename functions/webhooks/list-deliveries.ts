import { listDeliveries as contract } from '../../shared/contracts/webhooks.ts';
import { listDeliveries } from '../../shared/domain/webhooks/history.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, params, query: { status, ...page } }) => listDeliveries(webhookPorts, actor, params.id, status, page),
  itemsAs(deliveryView),
);
