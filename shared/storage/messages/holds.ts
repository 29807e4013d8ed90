import * as z from 'zod';
import type { Coins } from '../../domain/core/money.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { parseEscrowShard } from '../../domain/message/escrow-shard.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import type { TakenPositions } from '../../domain/pricing/volume.ts';
import { positionsOf } from '../../domain/sending/positions.ts';
import { type UnifiedStatus, unifiedStatus } from '../../domain/tracking/views.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import { CAPTURE_SHARDS, shardOf } from '../table-indexes.ts';
import { entryWrite } from '../wallet/entries.ts';
import { type Freed, freedUnits } from '../wallet/volumes.ts';

const UNLISTED = 'unlisted_';
/** Counts a message that was removed from the lists, in its shard of its chunk's escrow. */
const unlisted = (channel: Channel): Freed => ({ [`${UNLISTED}${channel}`]: 1 });
/** The corrections of the lists' totals from an escrow's shards, by channel: what the wallet's row must add. */
export const unlistedTotals = (rows: readonly (Readonly<Record<string, unknown>> | undefined)[]): Freed => {
  const totals: Record<string, number> = {};
  for (const [name, count] of rows.flatMap((row) => Object.entries(row ?? {}))) {
    if (!name.startsWith(UNLISTED)) continue;
    const channel = name.slice(UNLISTED.length);
    totals[channel] = (totals[channel] ?? 0) - z.int().parse(count);
  }
  return totals;
};

/** Adds to a message's shard of its chunk's escrow; the first message that is resolved creates the row. */
const shardWrite = (
  { escrow }: MessageRecord,
  add: Freed & Readonly<Record<'captured' | 'released' | 'resolved', number>>,
  moved: Readonly<Partial<Record<UnifiedStatus, number>>>,
): WriteOp[] => {
  const sums = Object.entries({ ...add, ...moved }).filter(([, by]) => by !== 0);
  if (escrow === undefined || sums.length === 0) return [];
  const { batchId, chunk, shard } = parseEscrowShard(escrow);
  return [{ update: KEYS.escrowShard(batchId, chunk, shard), add: Object.fromEntries(sums) }];
};

const NOTHING = { captured: 0, released: 0, resolved: 0 } as const;

/**
 * Whether the captured coins of a message have a ledger entry of their own. In an escrow those of forced messages do: their chunk may wait for
 * weeks, and they are few. Those of all others are entered together, when it closes.
 */
const isCapturedAlone = ({ escrow, force }: MessageRecord): boolean => escrow === undefined || force === true;

/**
 * Captures the money of an accepted message: by a ledger entry of its own, or within its chunk's escrow. Part of the transaction that ends the hold.
 * `shardBy`: the id that chooses the shard of the wallet's captures; the message's own, or one that several messages share.
 */
export const captureWrites = (message: MessageRecord, at: number, shardBy = message.id): WriteOp[] => {
  const { coins } = message;
  const alone = isCapturedAlone(message);
  return [
    ...(alone ? captureEntry(message, coins, at, shardBy) : []),
    ...shardWrite(message, { ...NOTHING, captured: alone ? 0 : coins, resolved: 1 }, { sent: 1 }),
  ];
};

/** The batch of a message, for its ledger entries. */
const batchOf = ({ escrow }: Pick<MessageRecord, 'escrow'>) =>
  escrow === undefined ? {} : { batchId: parseEscrowShard(escrow).batchId };

/** The row that counts the captures of a wallet or a lane; `id` chooses the wallet's shard. A lane has one: it is a shard itself. */
export const capturedKey = ({
  organizationId,
  id,
  lane = 0,
}: Pick<MessageRecord, 'organizationId' | 'lane'> & { readonly id: string }) =>
  KEYS.captured(organizationId, lane, lane === 0 ? shardOf(id, CAPTURE_SHARDS) : 0);

/** The ledger entry of a capture from a wallet or a lane. */
const captureEntry = (message: MessageRecord, coins: number, at: number, shardBy = message.id): WriteOp[] => {
  const { organizationId, id: messageId, lane } = message;
  return [
    entryWrite({ organizationId, lane, kind: 'capture', coins: 0, held: -coins, at, messageId, ...batchOf(message) }),
    { update: capturedKey({ organizationId, lane, id: shardBy }), add: { captured: coins } },
  ];
};

/** Returns held coins, and units of monthly volumes, to the wallet or lane that they were taken from. */
export const walletReturn = (
  { organizationId, lane = 0 }: Pick<MessageRecord, 'organizationId' | 'lane'>,
  coins: number,
  freed: Freed = {},
): WriteOp[] =>
  coins === 0 && Object.keys(freed).length === 0
    ? []
    : [
        {
          update: lane === 0 ? KEYS.wallet(organizationId) : KEYS.walletLane(organizationId, lane),
          add: { balance: coins, held: -coins, ...freed },
        },
      ];

/** Releases an unsent message immediately: its coins, and its positions of the month, to its lane if it has one. */
export const returnWrites = (message: MessageRecord, withChunk = false): WriteOp[] => {
  if (!returnsInSameTransaction(message, withChunk)) return [];
  const positions = positionsOf(message);
  return walletReturn(message, message.coins, positions && freedUnits(message.channel, positions));
};

/**
 * Ends the hold of a message that was partly accepted: `captured` coins are kept, the others are released. Includes the wallet's own row,
 * to which coins return immediately. Part of the transaction that ends the hold.
 */
export const partialWrites = (
  message: MessageRecord,
  captured: number,
  at: number,
  as: 'sent' | 'failed',
): WriteOp[] => {
  const { organizationId, id, lane } = message;
  const released = message.coins - captured;
  const isImmediate = returnsInSameTransaction(message);
  const alone = isCapturedAlone(message);
  const entry = {
    organizationId,
    lane,
    kind: 'release',
    coins: released,
    held: -released,
    at,
    messageId: id,
    ...batchOf(message),
  } as const;
  return [
    ...(alone && captured > 0 ? captureEntry(message, captured, at) : []),
    ...shardWrite(
      message,
      { captured: alone ? 0 : captured, released: isImmediate ? 0 : released, resolved: 1 },
      { [as]: 1 },
    ),
    ...(isImmediate && released > 0 ? [entryWrite(entry), ...walletReturn(message, released)] : []),
  ];
};

/**
 * Refunds captured coins, because the cheaper carrier was used: immediately, also in a batch, whose escrow sums don't change. To the
 * wallet, since the message's lane may have been closed.
 */
export const refundWrites = ({ organizationId, id }: MessageRecord, coins: Coins, at: number): WriteOp[] => [
  entryWrite({ organizationId, kind: 'release', coins, held: 0, at, messageId: id }),
  { update: KEYS.wallet(organizationId), add: { balance: coins, held: -coins } },
  { update: capturedKey({ organizationId, id }), add: { captured: -coins } },
];

/**
 * Whether the coins of an unsent message return to the wallet in the transaction that ends its hold. In an escrow this applies to messages
 * that no sender had claimed, and to forced ones: their chunk may wait for weeks, and they are few. All others, and those of a chunk that is
 * cancelled as a whole, are released together within seconds, so that a batch never writes the wallet per message.
 */
export const returnsInSameTransaction = ({ escrow, status, force }: MessageRecord, withChunk = false): boolean =>
  escrow === undefined || (!withChunk && (force || status === 'queued'));

/** The work item that settles the escrow of an unsent message, unless its coins are back already, or return with its whole chunk. */
export const escrowWorkItems = (message: MessageRecord, withChunk = false): Publishable[] => {
  if (withChunk || message.escrow === undefined || returnsInSameTransaction(message)) return [];
  const { batchId, chunk } = parseEscrowShard(message.escrow);
  return [{ kind: 'close_escrow', ...KEYS.batchChunk(batchId, chunk), owner: message.organizationId }];
};

/**
 * Releases the money of an unsent message, except for the wallet's row; `as` is its new status. Coins that return at once are
 * not counted as released by the escrow, so that closing it does not return them twice.
 */
export const releaseEntryWrites = (
  message: MessageRecord,
  at: number,
  as: 'failed' | 'archived',
  withChunk = false,
): WriteOp[] => {
  const { organizationId, id, coins, channel, lane } = message;
  const isImmediate = returnsInSameTransaction(message, withChunk);
  const positions = isImmediate ? undefined : positionsOf(message);
  const sums = { ...NOTHING, released: isImmediate ? 0 : coins, resolved: 1, ...(withChunk ? unlisted(channel) : {}) };
  const shard = shardWrite(message, { ...sums, ...(positions ? freedUnits(channel, positions) : {}) }, { [as]: 1 });
  if (!isImmediate) return shard;
  const released = { organizationId, lane, kind: 'release', coins, held: -coins, at, messageId: id } as const;
  return [entryWrite({ ...released, ...batchOf(message) }), ...shard];
};

/** The positions that return to the month at once when a message ends without a send. */
export const positionsBack = (message: MessageRecord, withChunk = false): TakenPositions | undefined =>
  returnsInSameTransaction(message, withChunk) ? positionsOf(message) : undefined;

/** The coins that return to the wallet at once when an open hold ends without a send. */
export const refundOf = (message: MessageRecord | undefined): number =>
  message?.hold === 'open' && returnsInSameTransaction(message) ? message.coins : 0;

/** Counts a resolved message's new status in its escrow shard. */
export const moveWrites = (message: MessageRecord, to: UnifiedStatus): WriteOp[] => {
  const from = unifiedStatus(message);
  return from === 'archived' || from === to ? [] : shardWrite(message, NOTHING, { [from]: -1, [to]: 1 });
};
