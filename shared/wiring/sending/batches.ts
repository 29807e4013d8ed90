import { checkEscrow } from '../../domain/bulk/escrow.ts';
import type { BatchStore } from '../../domain/bulk/ports.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { batchStore } from '../../storage/bulk/batches.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, publishWork, table } from '../process/aws.ts';
import { sealer, sendPorts } from './ports.ts';

/** Batches and chunks, with bodies sealed. */
export const store: BatchStore = batchStore(table, sealer, (workItems) => publishWork(workItems));

/** Processes a work item of a chunk's escrow. */
export const processEscrowItem = async (item: WorkItem): Promise<void> => {
  const { batchId, chunk } = PARSE_KEY.batchChunk(item);
  return checkEscrow({ clock, messageStore: sendPorts.messageStore, store }, batchId, chunk);
};
