import type { PlanPorts } from '../../domain/channels/registry.ts';
import { type Planner, planSend } from '../../domain/sending/plan.ts';
import { emailPorts } from '../email/email.ts';
import { sendPorts, smsPorts } from '../sending/ports.ts';
import { senderOf } from '../sending/senders.ts';
import { templatePorts } from '../whatsapp/numbers.ts';

const channels: PlanPorts = { ...templatePorts, ...emailPorts, ...smsPorts, senderOf };

/** Plans a request on any channel. */
export const plan: Planner = (tenant, request) => planSend({ prices: sendPorts.prices, channels }, tenant, request);
