import { getFlow as contract } from '../../shared/contracts/flows.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { findFlow } from '../../shared/domain/flows/flows.ts';
import { flowView } from '../../shared/domain/flows/views.ts';
import { flowPorts } from '../../shared/runtime/compose/flows.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const outcome = await findFlow(flowPorts, actor, params.id);
  return isRefusal(outcome) ? outcome : respond(200, flowView(outcome));
});
