import { overviewSend as contract } from '../../shared/contracts/overview.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { sendOverview } from '../../shared/domain/messages/overview.ts';
import { unifiedPorts } from '../../shared/runtime/compose/unified.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const accepted = await sendOverview(unifiedPorts, actor, idempotencyKey, body);
  return isRefusal(accepted) ? accepted : respond(202, accepted);
});
