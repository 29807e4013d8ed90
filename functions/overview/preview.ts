import { overviewPreview as contract } from '../../shared/contracts/overview.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { previewOverview } from '../../shared/domain/messages/overview.ts';
import { previewPorts } from '../../shared/runtime/compose/unified.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const plan = await previewOverview(previewPorts, actor, body);
  return isRefusal(plan) ? plan : respond(200, plan);
});
