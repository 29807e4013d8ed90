import { parseEscrowLane } from '../../domain/message/escrow-lane.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { type UnifiedStatus, unifiedStatus } from '../../domain/tracking/views.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { CAPTURE_SHARDS, KEYS, shardOf } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import { entryWrite } from '../wallet/ledger.ts';

/** What a message's lane of its chunk's escrow sums up: a row is made by the first message that is resolved. */
const laneWrite = (
  { escrow }: MessageRecord,
  add: Readonly<Record<'captured' | 'released' | 'resolved', number>>,
  moved: Readonly<Partial<Record<UnifiedStatus, number>>>,
): WriteOp[] => {
  const sums = Object.entries({ ...add, ...moved }).filter(([, by]) => by !== 0);
  if (escrow === undefined || sums.length === 0) return [];
  const { batchId, chunk, lane } = parseEscrowLane(escrow);
  return [{ update: KEYS.escrowLane(batchId, chunk, lane), add: Object.fromEntries(sums) }];
};

const NOTHING = { captured: 0, released: 0, resolved: 0 } as const;

/** The money of a message that its provider took: on its own ledger line, or within its chunk's escrow. Belongs into the transaction that ends the hold. */
export const captureWrites = (message: MessageRecord, at: number): WriteOp[] => {
  const { organizationId, id, coins } = message;
  if (message.escrow) return laneWrite(message, { ...NOTHING, captured: coins, resolved: 1 }, { sent: 1 });
  return [
    entryWrite({ organizationId, kind: 'capture', coins: 0, held: -coins, at, messageId: id }),
    { update: KEYS.captured(organizationId, shardOf(id, CAPTURE_SHARDS)), add: { captured: coins } },
  ];
};

/**
 * Whether the coins of a message that did not leave are back in the wallet with the transaction that ends its hold. Of an escrow those
 * of a message that nobody had taken to send are, and of one that was forced out: its chunk may wait for weeks, and few end so. Those of
 * one that left with its chunk or was deferred, and of a chunk that is taken back as a whole, come back together within seconds, so that
 * a batch never writes the wallet per message.
 */
export const comesBackAtOnce = ({ escrow, status, force }: MessageRecord, withChunk = false): boolean =>
  escrow === undefined || (!withChunk && (force || status === 'queued'));

/** The work item that settles the escrow of a message that did not leave, unless its coins are back already, or come back with its whole chunk. */
export const escrowWorkItems = (message: MessageRecord, withChunk = false): WorkItem[] => {
  if (withChunk || message.escrow === undefined || comesBackAtOnce(message)) return [];
  const { batchId, chunk } = parseEscrowLane(message.escrow);
  return [{ kind: 'close_escrow', ...KEYS.batchChunk(batchId, chunk) }];
};

/**
 * The money of a message that did not leave, but for the wallet's own part; `as` is where the message stands then. What comes back at
 * once is no part of what its escrow releases, so that closing gives nothing back twice.
 */
export const releaseEntryWrites = (
  message: MessageRecord,
  at: number,
  as: 'failed' | 'archived',
  withChunk = false,
): WriteOp[] => {
  const { organizationId, id, coins, escrow } = message;
  const isImmediate = comesBackAtOnce(message, withChunk);
  const lane = laneWrite(message, { ...NOTHING, released: isImmediate ? 0 : coins, resolved: 1 }, { [as]: 1 });
  if (!isImmediate) return lane;
  const released = { organizationId, kind: 'release', coins, held: -coins, at, messageId: id } as const;
  return [
    entryWrite({ ...released, ...(escrow === undefined ? {} : { batchId: parseEscrowLane(escrow).batchId }) }),
    ...lane,
  ];
};

/** What comes back to the wallet at once when an open hold ends without a send. */
export const refundOf = (message: MessageRecord | undefined): number =>
  message?.hold === 'open' && comesBackAtOnce(message) ? message.coins : 0;

/** A resolved message of a chunk moves on: where its messages stand is counted beside their money. */
export const moveWrites = (message: MessageRecord, to: UnifiedStatus): WriteOp[] => {
  const from = unifiedStatus(message);
  return from === 'archived' || from === to ? [] : laneWrite(message, NOTHING, { [from]: -1, [to]: 1 });
};
