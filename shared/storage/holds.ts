import type { MessageRecord } from '../domain/messages/message.ts';
import { type UnifiedStatus, unifiedStatus } from '../domain/messages/views.ts';
import { CAPTURE_SHARDS, KEYS, shardOf } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import { entryWrite } from './ledger.ts';

/** What a message's lane of its chunk's escrow sums up: a row is made by the first message that is resolved. */
const laneWrite = (
  { escrow }: MessageRecord,
  add: Readonly<Record<'captured' | 'released' | 'resolved', number>>,
  moved: Readonly<Partial<Record<UnifiedStatus, number>>>,
): WriteOp[] => {
  const sums = Object.entries({ ...add, ...moved }).filter(([, by]) => by !== 0);
  if (escrow === undefined || sums.length === 0) return [];
  const [batchId = '', chunk, lane] = escrow.split('#');
  return [{ update: KEYS.escrowLane(batchId, Number(chunk), Number(lane)), add: Object.fromEntries(sums) }];
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

/** The money of a message that did not leave, but for the wallet's own part; `as` is where the message stands then. */
export const releaseEntryWrites = (message: MessageRecord, at: number, as: 'failed' | 'archived'): WriteOp[] => {
  const { organizationId, id, coins } = message;
  return message.escrow
    ? laneWrite(message, { ...NOTHING, released: coins, resolved: 1 }, { [as]: 1 })
    : [entryWrite({ organizationId, kind: 'release', coins, held: -coins, at, messageId: id })];
};

/** What comes back to the wallet at once when an open hold ends without a send: what lies in an escrow comes back when that closes. */
export const refundOf = (message: MessageRecord | undefined): number =>
  message?.hold === 'open' && message.escrow === undefined ? message.coins : 0;

/** A resolved message of a chunk moves on: where its messages stand is counted beside their money. */
export const moveWrites = (message: MessageRecord, to: UnifiedStatus): WriteOp[] => {
  const from = unifiedStatus(message);
  return from === 'archived' || from === to ? [] : laneWrite(message, NOTHING, { [from]: -1, [to]: 1 });
};
