import { listWebhookEvents as contract } from '../../shared/contracts/webhooks.ts';
import { pullEvents } from '../../shared/domain/webhooks/history.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(contract, ({ actor, params, query }) =>
  pullEvents(webhookPorts, actor, params.id, query.after, query.limit),
);
