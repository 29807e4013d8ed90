import { type EmailPlanPorts, planEmail } from '../channels/email/plan.ts';
import type { EmailRequest } from '../channels/email/request.ts';
import { sentEmailView } from '../channels/email/views.ts';
import type { Actor } from '../core/actor.ts';
import { isRefusal } from '../core/errors.ts';
import { requestKey } from '../sending/idempotency.ts';
import { pricePlan } from '../sending/plan.ts';
import type { SendPorts } from '../sending/ports.ts';
import { answerSend, sendNow } from '../sending/send-now.ts';
import type { SuppressionPorts } from '../sending/suppression.ts';

/** Ports of e-mail sends. */
export type SendEmailPorts = SendPorts & EmailPlanPorts & Pick<SuppressionPorts, 'isSuppressed'>;

const isSuppressed = (ports: SendEmailPorts, { organizationId }: Actor, to: string): Promise<boolean> =>
  ports
    .recipientHashOf(organizationId, 'email', to)
    .then((hash) => ports.isSuppressed(organizationId, hash))
    .catch(() => false);

/** Sends an e-mail while its caller waits: plan, price, reserve, provider, settle. The suppression is read concurrently with the reservation. */
export const sendEmail = async (ports: SendEmailPorts, actor: Actor, callerKey: string, request: EmailRequest) => {
  const planned = await planEmail(ports, actor, request);
  const outbound = isRefusal(planned)
    ? planned
    : { ...planned, outbound: { ...planned.outbound, suppressed: isSuppressed(ports, actor, planned.plan.to) } };
  const priced = await pricePlan(ports, actor, request, outbound);
  const sent = await sendNow(ports, actor, requestKey(callerKey, 'email.send', request), priced);
  return answerSend(ports, actor, 'email', sent, sentEmailView);
};
