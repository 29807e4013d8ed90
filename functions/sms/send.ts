import { sendSms as contract } from '../../shared/contracts/sms.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { sendSms } from '../../shared/domain/sms/send.ts';
import { smsPorts } from '../../shared/runtime/compose/sms.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const sent = await sendSms(smsPorts, actor, idempotencyKey, body);
  return isRefusal(sent) ? sent : respond(201, sent);
});
