import { listWebhookEvents as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { pullEvents } from '../../shared/domain/webhooks/history.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, query }) => {
  const feed = await pullEvents(webhookPorts, actor, params.id, query.after, query.limit);
  return isRefusal(feed) ? feed : respond(200, feed);
});
