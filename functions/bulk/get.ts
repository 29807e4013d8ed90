import { getBatch as contract } from '../../shared/contracts/bulk.ts';
import { readBatch } from '../../shared/domain/bulk/send.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { operation } from '../../shared/runtime/operation.ts';
import { store } from '../../shared/wiring/sending/batches.ts';

export const handler = operation(
  contract,
  ({ actor, params }) => readBatch({ store }, actor, params.batchId),
  ({ id: batchId, createdAt, ...rest }) => ({ batchId, ...rest, createdAt: isoTime(createdAt) }),
);
