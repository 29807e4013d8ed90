import { listWebhooks as contract } from '../../shared/contracts/webhooks.ts';
import { listSubscriptions } from '../../shared/domain/webhooks/manage.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(
  contract,
  ({ actor, query }) => listSubscriptions(webhookPorts, actor, query),
  itemsAs(webhookView),
);
