import { deleteFlow as contract } from '../../shared/contracts/flows.ts';
import { deleteFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { flowPorts } from '../../shared/wiring/whatsapp/flows.ts';

export const handler = operation(contract, ({ actor, params }) => deleteFlow(flowPorts, actor, params.id));
