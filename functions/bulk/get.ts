import { getBatch as contract } from '../../shared/contracts/bulk.ts';
import { readBatch } from '../../shared/domain/bulk/accept.ts';
import { isRefusal } from '../../shared/domain/errors.ts';
import { isoTime } from '../../shared/domain/time.ts';
import { store } from '../../shared/runtime/compose/batches.ts';
import { operation, respond } from '../../shared/runtime/operation.ts';

export const handler = operation(contract, async ({ actor, params }) => {
  const batch = await readBatch({ store }, actor, params.batchId);
  if (isRefusal(batch)) return batch;
  const { id: batchId, createdAt, ...rest } = batch;
  return respond(200, { batchId, ...rest, createdAt: isoTime(createdAt) });
});
