import type { FlowPorts } from '../../domain/channels/whatsapp/flows/flow.ts';
import { flowStore } from '../../storage/whatsapp/flows.ts';
import { table } from '../process/aws.ts';
import { numberPorts } from './numbers.ts';

export const flowPorts: FlowPorts = { ...numberPorts, flows: flowStore(table) };
