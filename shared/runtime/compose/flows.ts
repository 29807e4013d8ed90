import type { FlowPorts } from '../../domain/flows/flow.ts';
import { flowStore } from '../../storage/flows.ts';
import { numberPorts } from './numbers.ts';
import { table } from './platform.ts';

/** What the rules of WhatsApp flows need, over this stage's table and platform. */
export const flowPorts: FlowPorts = { ...numberPorts, flows: flowStore(table) };
