import type { MessageRecord } from '../messages/message.ts';
import type { SendPorts } from '../messages/ports.ts';
import { atOnce } from './at-once.ts';
import { type Chunk, LANES } from './chunk.ts';
import type { BatchStore } from './ports.ts';

export type EscrowPorts = Pick<SendPorts, 'clock' | 'journal'> & { readonly store: BatchStore };

/** How long after a chunk left its escrow is looked at again, and how often while it is younger than that and after it, in ms. */
const LOOKS = { oftenForMs: 10 * 60_000, oftenMs: 30_000, rarelyMs: 10 * 60_000 } as const;

/** When an escrow with unresolved messages is looked at next, in ms: a deferred message keeps it open until the morning. */
export const nextLook = (leftAt: number, now: number): number =>
  now + (now - leftAt < LOOKS.oftenForMs ? LOOKS.oftenMs : LOOKS.rarelyMs);

/** Closes a chunk's escrow once every message of it is resolved; whether it is closed. Any number of callers close it once. */
export const closeIfResolved = async (ports: EscrowPorts, chunk: Chunk): Promise<boolean> => {
  if (chunk.state === 'closed') return true;
  const sums = await ports.store.readEscrow(chunk);
  if (sums.resolved < chunk.messageIds.length) return false;
  await ports.store.closeEscrow(chunk, sums, ports.clock());
  return true;
};

/** Looks at an escrow whose messages all left: closes it, or looks again later. */
export const lookAtEscrow = async (ports: EscrowPorts, batchId: string, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  if (chunk?.state !== 'left' || (await closeIfResolved(ports, chunk))) return;
  const now = ports.clock();
  const leftAt = chunk.leftAt ?? now;
  await ports.store.letGo(chunk, leftAt, nextLook(leftAt, now));
};

/**
 * Whether the batch that a message came with may still be refused as a whole: nothing of a strict one leaves before it is accepted. Once
 * it is, it stays accepted.
 */
export const isUndecided = async (
  store: Pick<BatchStore, 'readBatch' | 'readChunk'>,
  { escrow }: Pick<MessageRecord, 'escrow'>,
): Promise<boolean> => {
  if (escrow === undefined) return false;
  const [batchId = '', number] = escrow.split('#');
  const chunk = await store.readChunk(batchId, Number(number));
  return chunk?.decidedBy !== undefined && (await store.readBatch(batchId))?.state !== 'accepted';
};

/** Takes a chunk back whose batch was refused as a whole: each message is released once, and the money is back in the wallet. */
export const withdrawChunk = async (ports: EscrowPorts, batchId: string, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  if (!chunk || chunk.state === 'closed') return;
  const messages = await ports.store.readMessages(chunk.messageIds);
  await atOnce(
    messages.filter(({ hold, status }) => hold === 'open' && status === 'queued'),
    LANES,
    async (message) => {
      const at = ports.clock();
      await ports.journal.release(message, {
        at,
        reason: 'cancelled',
        lastError: 'The batch was refused as a whole.',
        decisions: [
          { at, kind: 'resolution', detail: 'batch refused as a whole; hold released', coins: message.coins },
        ],
        freeKey: true,
        events: [],
        withChunk: true,
      });
    },
  );
  const leftAt = ports.clock();
  if (!(await closeIfResolved(ports, chunk))) await ports.store.letGo(chunk, leftAt, nextLook(leftAt, leftAt));
};
