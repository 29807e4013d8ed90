import { sendEmail as contract } from '../../shared/contracts/email.ts';
import { sendEmail } from '../../shared/domain/email/send.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { emailPorts } from '../../shared/runtime/compose/email.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const sent = await sendEmail(emailPorts, actor, idempotencyKey, body);
  return isRefusal(sent) ? sent : respond(201, sent);
});
