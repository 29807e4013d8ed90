import { createFlow as contract } from '../../shared/contracts/flows.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { createFlow } from '../../shared/domain/flows/flows.ts';
import { flowView } from '../../shared/domain/flows/views.ts';
import { flowPorts } from '../../shared/runtime/compose/flows.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body }) => {
  const made = await createFlow(flowPorts, actor, body);
  return isRefusal(made) ? made : respond(201, flowView(made));
});
