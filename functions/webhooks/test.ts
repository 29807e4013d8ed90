import { testWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { sendTest } from '../../shared/domain/webhooks/manage.ts';
import { deliveryView } from '../../shared/domain/webhooks/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => sendTest(webhookPorts, actor, params.id, body.event),
  deliveryView,
);
