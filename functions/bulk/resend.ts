import { bulkResend as contract } from '../../shared/contracts/bulk-resend.ts';
import { bulkResend } from '../../shared/domain/bulk/resend.ts';
import { bulkResendPorts } from '../../shared/runtime/compose/bulk-resend.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, body, idempotencyKey }) => {
  const answer = await bulkResend(bulkResendPorts, actor, body, idempotencyKey);
  return respond(202, { ...answer, errors: [...answer.errors] });
});
