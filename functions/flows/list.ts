import { listFlows as contract } from '../../shared/contracts/flows.ts';
import { flowView } from '../../shared/domain/flows/views.ts';
import { flowPorts } from '../../shared/runtime/compose/flows.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, query: { limit, skip, ...filter } }) => {
  const { items, total } = await flowPorts.flows.page(actor.organizationId, filter, { limit, skip });
  return respond(200, { items: items.map(flowView), total });
});
