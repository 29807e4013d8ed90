import { sendEmail as contract } from '../../shared/contracts/email.ts';
import { sendEmail } from '../../shared/domain/api/send-email.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { emailPorts } from '../../shared/wiring/email/email.ts';

export const handler = operation(contract, ({ actor, body, idempotencyKey }) =>
  sendEmail(emailPorts, actor, idempotencyKey, body),
);
