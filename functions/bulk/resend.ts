import { bulkResend as contract } from '../../shared/contracts/bulk-resend.ts';
import { bulkResend } from '../../shared/domain/bulk/resend.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { bulkResendPorts } from '../../shared/wiring/bulk/resend.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey }) => bulkResend(bulkResendPorts, actor, body, idempotencyKey),
  (answer) => ({ ...answer, errors: [...answer.errors] }),
);
