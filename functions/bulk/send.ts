import { bulkSend as contract } from '../../shared/contracts/bulk.ts';
import { peopleRevealedBy } from '../../shared/domain/bulk/accept.ts';
import { sendBulk } from '../../shared/domain/bulk/send.ts';
import { asLookup } from '../../shared/runtime/caller.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { bulkPorts } from '../../shared/wiring/bulk/bulk.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey: callerKey }) =>
    sendBulk(bulkPorts, actor, { ...body, callerKey }).then(
      asLookup(contract, actor, ['messages.to'], peopleRevealedBy),
    ),
  (accepted) => ({ ...accepted, errors: [...accepted.errors] }),
);
