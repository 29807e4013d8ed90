import { type EmailPlanPorts, planEmail } from '../channels/email/plan.ts';
import type { EmailRequest } from '../channels/email/request.ts';
import { sentEmailView } from '../channels/email/views.ts';
import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import { requestKey } from '../sending/idempotency.ts';
import { pricePlan } from '../sending/plan.ts';
import type { SendPorts } from '../sending/ports.ts';
import { answerSend, sendNow } from '../sending/send-now.ts';

export interface SendEmailPorts extends SendPorts, EmailPlanPorts {
  /** Whether the provider reported the address as suppressed; false when that is unknown. Absent where providers do not report it. */
  readonly suppressed?: (tenant: Tenant, to: string) => Promise<boolean>;
}

/** Sends an e-mail while its caller waits: plan, price, reserve, provider, settle. The suppression is read concurrently with the reservation. */
export const sendEmail = async (ports: SendEmailPorts, actor: Actor, callerKey: string, request: EmailRequest) => {
  const planned = await planEmail(ports, actor, request);
  const outbound = isRefusal(planned)
    ? planned
    : { ...planned, outbound: { ...planned.outbound, suppressed: ports.suppressed?.(actor, planned.plan.to) } };
  const priced = await pricePlan(ports, request, outbound);
  const sent = await sendNow(ports, actor, requestKey(callerKey, 'email.send', request), priced);
  return answerSend(ports, actor, 'email', sent, sentEmailView);
};
