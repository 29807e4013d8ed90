import { sendSms as contract } from '../../shared/contracts/sms.ts';
import { sendSms } from '../../shared/domain/api/send-sms.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { smsPorts } from '../../shared/wiring/sending/ports.ts';

export const handler = operation(contract, ({ actor, body, idempotencyKey }) =>
  sendSms(smsPorts, actor, idempotencyKey, body),
);
