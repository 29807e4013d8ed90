import { bulkResend as contract } from '../../shared/contracts/bulk-resend.ts';
import { bulkResend } from '../../shared/domain/bulk/resend.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { drawLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { bulkResendPorts } from '../../shared/wiring/bulk/resend.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey }) => {
    const previewsCorrection = body.dryRun === true && body.correction?.to !== undefined;
    const revealsPeople = (answer: Awaited<ReturnType<typeof bulkResend>>) =>
      previewsCorrection && !isRefusal(answer) && answer.rejected > 0;
    return bulkResend(bulkResendPorts, actor, body, idempotencyKey).then(
      drawLookup(contract, actor, ['correction.to'], revealsPeople),
    );
  },
  (answer) => ({ ...answer, errors: [...answer.errors] }),
);
