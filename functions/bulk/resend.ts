import { bulkResend as contract } from '../../shared/contracts/bulk-resend.ts';
import type { BulkAnswer } from '../../shared/domain/bulk/accept.ts';
import { bulkResend } from '../../shared/domain/bulk/resend.ts';
import { asLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { bulkResendPorts } from '../../shared/wiring/bulk/resend.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey }) => {
    const asksAbout = body.dryRun === true && body.correction?.to !== undefined;
    return bulkResend(bulkResendPorts, actor, body, idempotencyKey).then(
      asLookup(contract, actor, ['correction.to'], ({ rejected }: BulkAnswer) => asksAbout && rejected > 0),
    );
  },
  (answer) => ({ ...answer, errors: [...answer.errors] }),
);
