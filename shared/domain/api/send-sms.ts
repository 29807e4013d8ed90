import { planSms, type SmsPlanPorts } from '../channels/sms/plan.ts';
import type { SmsRequest } from '../channels/sms/request.ts';
import { sentSmsView } from '../channels/sms/views.ts';
import type { Actor } from '../core/actor.ts';
import { requestKey } from '../sending/idempotency.ts';
import { pricePlan } from '../sending/plan.ts';
import type { SendPorts } from '../sending/ports.ts';
import { answerSend, sendNow } from '../sending/send-now.ts';

/** Ports of SMS sends. */
export type SmsSendPorts = SendPorts & SmsPlanPorts;

/** Sends an SMS while its caller waits: plan, price, reserve, provider, settle. */
export const sendSms = async (ports: SmsSendPorts, actor: Actor, callerKey: string, request: SmsRequest) => {
  const planned = await pricePlan(ports, actor, request, await planSms(ports, actor, request));
  const sent = await sendNow(ports, actor, requestKey(callerKey, 'sms.send', request), planned);
  return answerSend(ports, actor, 'sms', sent, sentSmsView);
};
