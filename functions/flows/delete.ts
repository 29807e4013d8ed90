import { deleteFlow as contract } from '../../shared/contracts/flows.ts';
import { deleteFlow } from '../../shared/domain/flows/flows.ts';
import { forgetFlow } from '../../shared/domain/flows/publish.ts';
import { flowPorts } from '../../shared/runtime/compose/flows.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const refused = await deleteFlow(flowPorts, actor, params.id, forgetFlow(flowPorts, actor));
  return refused ?? respond(204, undefined);
});
