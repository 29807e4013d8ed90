import { replayDelivery as contract } from '../../shared/contracts/webhooks.ts';
import { replayOne } from '../../shared/domain/webhooks/history.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => replayOne(webhookPorts, actor, params.id, params.deliveryId),
  deliveryView,
);
