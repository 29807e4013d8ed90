import { changeWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { changeSubscription } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, params, body }) => changeSubscription(webhookPorts, actor, params.id, body),
  webhookView,
);
