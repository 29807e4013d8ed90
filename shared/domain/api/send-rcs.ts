import { planRcs, type RcsPlanPorts } from '../channels/rcs/plan.ts';
import type { RcsRequest } from '../channels/rcs/request.ts';
import { sentRcsView } from '../channels/rcs/views.ts';
import type { Actor } from '../core/actor.ts';
import { requestKey } from '../sending/idempotency.ts';
import { pricePlan } from '../sending/plan.ts';
import type { SendPorts } from '../sending/ports.ts';
import { answerSend, sendNow } from '../sending/send-now.ts';

/** Sends an RCS message while its caller waits: plan, price, reserve, provider, settle. */
export const sendRcs = async (
  ports: SendPorts & RcsPlanPorts,
  actor: Actor,
  callerKey: string,
  request: RcsRequest,
) => {
  const planned = await pricePlan(ports, actor, request, await planRcs(ports, actor, request));
  const sent = await sendNow(ports, actor, requestKey(callerKey, 'rcs.send', request), planned);
  return answerSend(ports, actor, 'rcs', sent, sentRcsView);
};
