import type { ResendPorts } from '../../domain/api/resend.ts';
import { precheckPorts } from '../sending/eligibility.ts';
import { sendPorts } from '../sending/ports.ts';
import { cancelAndForcePorts } from './cancel-and-force.ts';
import { plan } from './plan.ts';

export const resendPorts: ResendPorts = {
  ...sendPorts,
  ...precheckPorts,
  plan,
  readMessage: cancelAndForcePorts.readMessage,
  isUndecided: cancelAndForcePorts.isUndecided,
  enqueueSend: cancelAndForcePorts.enqueueSend,
};
