import { lookAtEscrow } from '../../domain/bulk/escrow.ts';
import type { BatchStore } from '../../domain/bulk/ports.ts';
import type { DueHint } from '../../queues/queues.ts';
import { batchStore } from '../../storage/bulk.ts';
import { clock, publishDue, table } from './platform.ts';
import { sealer, sendPorts } from './send.ts';

/** Batches of this stage. */
export const store: BatchStore = batchStore(table, sealer, (hints) => publishDue(hints));

/** The batch and the number of a chunk, from its row's key. */
export const chunkOf = ({ pk }: DueHint): readonly [batchId: string, chunk: number] => {
  const [, batchId = '', chunk = ''] = pk.split('#');
  return [batchId, Number(chunk)];
};

/** Looks at an escrow whose messages all left. */
export const escrowWork = (hint: DueHint): Promise<void> =>
  lookAtEscrow({ clock, journal: sendPorts.journal, store }, ...chunkOf(hint));
