import { getFlow as contract } from '../../shared/contracts/flows.ts';
import { findFlow } from '../../shared/domain/channels/whatsapp/flows/flows.ts';
import { flowView } from '../../shared/domain/channels/whatsapp/flows/views.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { flowPorts } from '../../shared/wiring/whatsapp/flows.ts';

export const handler = operation(contract, ({ actor, params }) => findFlow(flowPorts, actor, params.id), flowView);
