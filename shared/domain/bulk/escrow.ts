import type { Id } from '../core/ids.ts';
import { mapConcurrently } from '../core/map-concurrently.ts';
import { parseEscrowShard } from '../message/escrow-shard.ts';
import type { MessageRecord } from '../message/message.ts';
import type { Release } from '../sending/message-store.ts';
import type { SendPorts } from '../sending/ports.ts';
import { type Chunk, ESCROW_SHARDS, isBulkKey, isResolved } from './chunk.ts';
import type { BatchState, BatchStore } from './ports.ts';

/** Ports of settling escrows. */
export type EscrowPorts = Pick<SendPorts, 'clock' | 'messageStore'> & { readonly store: BatchStore };

/** How often an open escrow is checked, in ms: frequently for a while after its last change, then rarely. */
const CHECK_INTERVALS = { oftenForMs: 10 * 60_000, oftenMs: 30_000, rarelyMs: 10 * 60_000 } as const;
/**
 * How long released coins accumulate before they are refunded together, in ms, so that refusals within a chunk do not write the wallet one
 * by one. The work item of a release is delayed by the same time.
 */
export const REFUND_DELAY_MS = 5_000;

/** When an escrow with unresolved messages is checked next, in ms: a message deferred by quiet hours keeps it open for hours. */
export const nextCheckAt = (changedAt: number, now: number): number =>
  now + (now - changedAt < CHECK_INTERVALS.oftenForMs ? CHECK_INTERVALS.oftenMs : CHECK_INTERVALS.rarelyMs);

/**
 * Refunds what a chunk's failed messages released, and closes the escrow once every message is resolved. Idempotent: concurrent callers
 * refund each coin once. `open`: there was nothing to do, or another caller did it.
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

/** Settles the escrow of a chunk whose due messages were sent: closes it, or schedules the next check. */
export const checkEscrow = async (ports: EscrowPorts, batchId: Id<'batch'>, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  const now = ports.clock();
  if (chunk?.state !== 'left') return;
  const { leftAt = now, checkAt = now, releasedAt = 0 } = chunk;
  if (now < releasedAt + REFUND_DELAY_MS) return;
  const settled = await settleEscrow(ports, chunk);
  if (settled === 'closed' || (settled === 'open' && now < checkAt)) return;
  await ports.store.markSent(
    chunk,
    leftAt,
    nextCheckAt(settled === 'returned' ? now : Math.max(leftAt, releasedAt), now),
  );
};

/**
 * Whether a message's batch is undecided, or was rejected and is being withdrawn. Reads nothing for a single or already attempted message:
 * its batch is decided.
 */
export const isUndecided = async (
  store: Pick<BatchStore, 'readBatch'>,
  message: Pick<MessageRecord, 'escrow' | 'attempts' | 'hold'>,
): Promise<boolean> => message.attempts === 0 && isUndecidedIn(message, await stateOf(store, message));

/** The state of a message's batch; reads nothing for a message without a batch. */
const stateOf = async (
  store: Pick<BatchStore, 'readBatch'>,
  { escrow }: Pick<MessageRecord, 'escrow'>,
): Promise<BatchState | undefined> =>
  escrow === undefined ? undefined : (await store.readBatch(parseEscrowShard(escrow).batchId))?.state;

const isUndecidedIn = ({ hold }: Pick<MessageRecord, 'hold'>, state: BatchState | undefined): boolean =>
  state === 'pending' || (state === 'rejected' && hold === 'open');

/** The error of a message that was withdrawn with its batch. */
export const WITHDRAWN = 'The batch was refused as a whole.';

/**
 * Whether it is not certain that a message is sent, given its batch's state: the batch is undecided, or the message is or was withdrawn
 * with it.
 */
export const isUncertain = (
  message: Pick<MessageRecord, 'hold' | 'lastError'>,
  state: BatchState | undefined,
): boolean => isUndecidedIn(message, state) || (state === 'rejected' && message.lastError === WITHDRAWN);

/** The same for one message, read from its batch's row. */
export const mayBeWithdrawn = async (
  store: Pick<BatchStore, 'readBatch'>,
  message: Pick<MessageRecord, 'escrow' | 'hold' | 'lastError'>,
): Promise<boolean> => isUncertain(message, await stateOf(store, message));

const withdrawal = (message: MessageRecord, at: number): Release => ({
  at,
  reason: 'cancelled',
  lastError: WITHDRAWN,
  decisions: [{ at, kind: 'resolution', detail: 'batch refused as a whole; hold released', coins: message.coins }],
  certain: true,
  // Its caller is answered that the batch is refused.
  freeKey: !isBulkKey(message.callerKey),
  events: [],
  withChunk: true,
});

/**
 * Withdraws a chunk of a rejected batch: releases each message once and refunds the money. Idempotent. One transaction ends all holds, so
 * that a batch is rolled back as fast as it was reserved; if one of the messages changed meanwhile, each is released individually.
 */
export const withdrawChunk = async (ports: EscrowPorts, batchId: Id<'batch'>, number: number): Promise<void> => {
  const chunk = await ports.store.readChunk(batchId, number);
  if (!chunk || chunk.state === 'closed') return;
  const messages = await ports.store.readMessages(chunk.messageIds);
  const open = messages.filter(({ hold, status }) => hold === 'open' && status === 'queued');
  const at = ports.clock();
  const releases = open.map((message) => ({ message, release: withdrawal(message, at) }));
  if (!(await ports.messageStore.releaseBatch(releases)))
    await mapConcurrently(releases, ESCROW_SHARDS, ({ message, release }) =>
      ports.messageStore.release(message, release),
    );
  const leftAt = ports.clock();
  if ((await settleEscrow(ports, chunk)) !== 'closed')
    await ports.store.markSent(chunk, leftAt, nextCheckAt(leftAt, leftAt));
};
