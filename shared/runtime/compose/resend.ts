import type { ResendPorts } from '../../domain/messages/resend.ts';
import { operatePorts } from './operate.ts';
import { planners } from './planners.ts';
import { sendPorts } from './send.ts';
import { standing } from './standing.ts';

/** What sending anew needs, over this stage's table, queues and the channels' rules. */
export const resendPorts: ResendPorts = {
  ...sendPorts,
  ...standing,
  planners,
  readMessage: operatePorts.readMessage,
  isUndecided: operatePorts.isUndecided,
  hintSend: operatePorts.hintSend,
};
