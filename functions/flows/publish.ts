import { publishFlow as contract } from '../../shared/contracts/flows.ts';
import { publishFlow } from '../../shared/domain/channels/whatsapp/flows/publish.ts';
import { flowView } from '../../shared/domain/channels/whatsapp/flows/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { flowPorts } from '../../shared/wiring/whatsapp/flows.ts';

export const handler = operation(contract, ({ actor, params }) => publishFlow(flowPorts, actor, params.id), flowView);
