import type * as z from 'zod';
import { BulkMessage } from '../../contracts/bulk-message.ts';
import type { BulkPorts, ChunkPorts } from '../../domain/bulk/ports.ts';
import { sendChunk } from '../../domain/bulk/send-chunk.ts';
import { refuse } from '../../domain/core/errors.ts';
import { zodErrorMap } from '../../domain/core/zod-error-map.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { batchKeys } from '../../storage/bulk/batch-keys.ts';
import { consentFaults } from '../../storage/bulk/consent-faults.ts';
import { readIdempotencyRecords } from '../../storage/messages/idempotency.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { sendQueuedPorts, submitPorts } from '../messages/queue-and-send.ts';
import { publishWorkAt, table } from '../process/aws.ts';
import { store } from '../sending/batches.ts';

/** Validation errors listed per message. */
const MAX_FAULTS = 3;

const faultsOf = (issues: readonly z.core.$ZodIssue[]) =>
  refuse('VALIDATION_ERROR', {
    detail: 'The message violates the contract.',
    errors: issues.slice(0, MAX_FAULTS).map(({ path, message }) => ({
      path: String(path[0] ?? ''),
      message: message.slice(0, 200),
    })),
  });

const enqueueChunk: BulkPorts['enqueueChunk'] = ({ batchId, chunk, organizationId: owner }, at) =>
  publishWorkAt([{ kind: 'send_chunk', ...KEYS.batchChunk(batchId, chunk), owner }], at);

export const bulkPorts: BulkPorts = {
  ...submitPorts,
  store,
  batchKeys: batchKeys(table),
  contractRefusal: (invalid) => faultsOf(BulkMessage.safeParse(invalid, { error: zodErrorMap }).error?.issues ?? []),
  idempotencyRecords: (organizationId, keys, now) => readIdempotencyRecords(table, organizationId, keys, now),
  consentFaults: ({ organizationId }, plans) => consentFaults(table, organizationId, plans),
  enqueueChunk,
};

/** Processes a work item of a chunk. Safe under repeats and reordering. `onAccountRefused`: notifies the message's campaign. */
export const processChunkItem = async (
  item: WorkItem,
  { onAccountRefused }: Required<Pick<ChunkPorts, 'onAccountRefused'>>,
): Promise<void> => {
  const { batchId, chunk } = PARSE_KEY.batchChunk(item);
  return sendChunk({ ...sendQueuedPorts, store, enqueueChunk, onAccountRefused }, batchId, chunk);
};
