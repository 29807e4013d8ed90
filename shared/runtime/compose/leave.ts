import { type LeavePorts, leave } from '../../domain/messages/leave.ts';
import type { DueHint } from '../../queues/queues.ts';
import { sendPorts } from './send.ts';

const ports = { ...sendPorts } as unknown as LeavePorts;
export const leaveWork = ({ pk }: DueHint): Promise<void> => leave(ports, pk.slice(pk.indexOf('#') + 1));
