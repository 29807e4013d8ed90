import { replayWebhook as contract } from '../../shared/contracts/webhooks.ts';
import { replayRange } from '../../shared/domain/webhooks/history.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { webhookPorts } from '../../shared/wiring/webhooks/webhooks.ts';

export const handler = operation(contract, ({ actor, params, body: { from, to, status } }) =>
  replayRange(webhookPorts, actor, params.id, { from: Date.parse(from), to: Date.parse(to), status }),
);
