import { bulkSend as contract } from '../../shared/contracts/bulk.ts';
import { sendBulk } from '../../shared/domain/bulk/accept.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { bulkPorts } from '../../shared/wiring/bulk/bulk.ts';

export const handler = operation(
  contract,
  ({ actor, body, idempotencyKey: callerKey }) => sendBulk(bulkPorts, actor, { ...body, callerKey }),
  (accepted) => ({ ...accepted, errors: [...accepted.errors] }),
);
