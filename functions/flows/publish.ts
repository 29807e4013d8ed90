import { publishFlow as contract } from '../../shared/contracts/flows.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { publishFlow } from '../../shared/domain/flows/publish.ts';
import { flowView } from '../../shared/domain/flows/views.ts';
import { flowPorts } from '../../shared/runtime/compose/flows.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const outcome = await publishFlow(flowPorts, actor, params.id);
  return isRefusal(outcome) ? outcome : respond(200, flowView(outcome));
});
