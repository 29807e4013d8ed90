import { listFlows as contract } from '../../shared/contracts/flows.ts';
import { listFlows } from '../../shared/domain/channels/whatsapp/flows/list.ts';
import { flowView } from '../../shared/domain/channels/whatsapp/flows/views.ts';
import { itemsAs, operation } from '../../shared/runtime/operation.ts';
import { flowPorts } from '../../shared/wiring/whatsapp/flows.ts';

export const handler = operation(
  contract,
  ({ actor, query: { limit, skip, ...filter } }) => listFlows(flowPorts.flows, actor, filter, { limit, skip }),
  itemsAs(flowView),
);
