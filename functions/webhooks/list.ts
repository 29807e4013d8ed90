import { listWebhooks as contract } from '../../shared/contracts/webhooks.ts';
import { webhookView } from '../../shared/domain/webhooks/views.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, query: { status, event, limit, skip } }) => {
  const all = await webhookPorts.subscriptions.list(actor.organizationId);
  const found = all.filter((each) => (!status || each.status === status) && (!event || each.events.includes(event)));
  return respond(200, { items: found.slice(skip, skip + limit).map(webhookView), total: found.length });
});
