import { getDelivery as contract } from '../../shared/contracts/webhooks.ts';
import { attemptsOf, findDelivery } from '../../shared/domain/webhooks/history.ts';
import { deliveryWith } from '../../shared/domain/webhooks/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => findDelivery(webhookPorts, actor, params.id, params.deliveryId),
  async (found, { actor }) => deliveryWith(found, await attemptsOf(webhookPorts, actor, found)),
);
