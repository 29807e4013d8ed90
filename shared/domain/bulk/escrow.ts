import type { MessageRecord } from '../messages/message.ts';
import type { SendPorts } from '../messages/ports.ts';
import { atOnce } from './at-once.ts';
import { type Chunk, isResolved, LANES } from './chunk.ts';
import type { BatchStore } from './ports.ts';

export type EscrowPorts = Pick<SendPorts, 'clock' | 'journal'> & { readonly store: BatchStore };

/** How often an escrow is looked at: for how long after its last news, and after that, in ms. */
const LOOKS = { oftenForMs: 10 * 60_000, oftenMs: 30_000, rarelyMs: 10 * 60_000 } as const;
/**
 * How long what is refused by itself gathers before it is given back together, in ms: a chunk's refusals never write the wallet one by
 * one. Its hint waits as long, so that a look which comes too early finds its coins given back by the look before it.
 */
export const GATHER_MS = 5_000;

/** When an escrow with unresolved messages is looked at next, in ms: a deferred message keeps it open until the morning. */
export const nextLook = (newsAt: number, now: number): number =>
  now + (now - newsAt < LOOKS.oftenForMs ? LOOKS.oftenMs : LOOKS.rarelyMs);

/**
 * Gives back what a chunk's refused messages released, and closes its escrow once every message of it is resolved. Any number of callers
 * give each coin back once. `open`: there was nothing to do, or another did it.
 */
export const settleEscrow = async (ports: EscrowPorts, chunk: Chunk): Promise<'closed' | 'returned' | 'open'> => {
  if (chunk.state === 'closed') return 'closed';
  const sums = await ports.store.readEscrow(chunk);
  const closes = isResolved(chunk, sums);
  if (!closes && sums.released === chunk.released) return 'open';
  if (await ports.store.settleEscrow(chunk, sums, ports.clock())) return closes ? 'closed' : 'returned';
  const now = await ports.store.readChunk(chunk.batchId, chunk.chunk);
  return now?.state === 'closed' ? 'closed' : 'open';
};

/** Looks at an escrow whose messages all left or wait by themselves: closes it, or looks again later. */
export const lookAtEscrow = async (ports: EscrowPorts, batchId: string, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  const now = ports.clock();
  if (chunk?.state !== 'left') return;
  const { leftAt = now, lookAt = now, releasedAt = 0 } = chunk;
  if (now < releasedAt + GATHER_MS) return;
  const settled = await settleEscrow(ports, chunk);
  if (settled === 'closed' || (settled === 'open' && now < lookAt)) return;
  await ports.store.letGo(chunk, leftAt, nextLook(settled === 'returned' ? now : Math.max(leftAt, releasedAt), now));
};

/**
 * Whether the batch that a message came with may still be refused as a whole, or is being taken back: nothing of a strict one leaves
 * before it is accepted, and once it is, it stays accepted. Reads nothing of a message that came alone or was tried.
 */
export const isUndecided = async (
  store: Pick<BatchStore, 'readBatch' | 'readChunk'>,
  { escrow, attempts, hold }: Pick<MessageRecord, 'escrow' | 'attempts' | 'hold'>,
): Promise<boolean> => {
  if (escrow === undefined || attempts > 0) return false;
  const [batchId = '', number] = escrow.split('#');
  const chunk = await store.readChunk(batchId, Number(number));
  if (chunk?.decidedBy === undefined) return false;
  const state = (await store.readBatch(batchId))?.state;
  return hold === 'open' ? state !== 'accepted' : state === 'pending';
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
  if ((await settleEscrow(ports, chunk)) !== 'closed') await ports.store.letGo(chunk, leftAt, nextLook(leftAt, leftAt));
};
