import { changeFlow as contract } from '../../shared/contracts/flows.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { changeFlow } from '../../shared/domain/flows/flows.ts';
import { flowView } from '../../shared/domain/flows/views.ts';
import { flowPorts } from '../../shared/runtime/compose/flows.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params, body }) => {
  const outcome = await changeFlow(flowPorts, actor, params.id, body);
  return isRefusal(outcome) ? outcome : respond(200, flowView(outcome));
});
