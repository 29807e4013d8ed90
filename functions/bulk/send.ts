import { bulkSend as contract } from '../../shared/contracts/bulk.ts';
import { peopleRevealedBy } from '../../shared/domain/bulk/accept.ts';
import { sendBulk } from '../../shared/domain/bulk/send.ts';
import { drawLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { bulkPorts } from '../../shared/wiring/bulk/bulk.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey: callerKey }) =>
    sendBulk(bulkPorts, actor, { ...body, callerKey }).then(
      drawLookup(contract, actor, ['messages.to'], peopleRevealedBy),
    ),
  (accepted) => ({ ...accepted, errors: [...accepted.errors] }),
);
