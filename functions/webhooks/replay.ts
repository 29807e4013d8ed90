import { replayWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { replayRange } from '../../shared/domain/webhooks/history.ts';
import { webhookPorts } from '../../shared/runtime/compose/webhooks.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body: { from, to, status } }) => {
  const range = { from: Date.parse(from), to: Date.parse(to), status };
  const result = await replayRange(webhookPorts, actor, params.id, range);
  return isRefusal(result) ? result : respond(202, result);
});
