import { listFlows as contract } from '../../shared/contracts/flows.ts';
import { flowView } from '../../shared/domain/channels/whatsapp/flows/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { flowPorts } from '../../shared/wiring/whatsapp/flows.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, ...filter } }) => flowPorts.flows.page(actor.organizationId, filter, { limit, skip }),
  itemsAs(flowView),
);
