import * as z from 'zod';
import type { MessageRecord, MessageStatus } from '../../domain/message/message.ts';
import {
  isExpired,
  isWatched,
  judgedAt,
  type SlotCount,
  slotAt,
  watchedPrefix,
} from '../../domain/sending/destination-watch.ts';
import type { CountShard, DestinationCounts } from '../../domain/sending/judge-destination.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { CAPTURE_SHARDS, shardOf } from '../table-indexes.ts';

/** Counts that were never evaluated expire two hours after their last change. */
const KEEP_SECONDS = 2 * 3600;
/** An attribute of a slot: `s` sends or `d` deliveries, and the slot's number. */
const SLOT = /^([sd])(\d+)$/;

const keyOf = ({ organizationId, prefix, shard }: CountShard) => KEYS.destinationCounts(organizationId, prefix, shard);
const dueOf = (counted: CountShard, at: number) =>
  INDEX_KEYS.due('judge_destination', `${counted.organizationId}#${counted.prefix}#${counted.shard}`, at);

/** The messages of one shard are settled sequentially or rarely conflict, as with the sums of captures. */
const shardFor = ({ organizationId, id, to }: MessageRecord): CountShard => ({
  organizationId,
  prefix: watchedPrefix(to),
  shard: shardOf(id, CAPTURE_SHARDS),
});

const ttlAt = (at: number) => Math.ceil(at / 1000) + KEEP_SECONDS;

/** Whether a message is counted: an SMS abroad, or an RCS message whose fallback text may be sent as one. */
const isCounted = (message: MessageRecord): boolean => {
  const mayBeSms = message.channel === 'rcs' && message.content.fallback !== undefined;
  return isWatched({ channel: mayBeSms ? 'sms' : message.channel, region: message.region });
};

/** Counts an accepted message abroad (`at` in ms) in the transaction that captures its money; nothing for others. */
export const countSentWrites = (message: MessageRecord, at: number): WriteOp[] => {
  if (!isCounted(message)) return [];
  const [counted, slot] = [shardFor(message), slotAt(at)];
  return [
    {
      update: keyOf(counted),
      set: { ttl: ttlAt(at) },
      setOnce: dueOf(counted, judgedAt(slot)),
      add: { [`s${slot}`]: 1, total: 1 },
    },
  ];
};

/**
 * Counts a delivery abroad in the slot in which its message was sent, in the transaction that stores its new status; none if that slot is
 * over. A read message counts as delivered, even without a delivery report.
 */
export const countDeliveredWrites = (
  message: MessageRecord,
  status: MessageStatus | undefined,
  now: number,
): WriteOp[] => {
  const isFirst = status === 'delivered' || (status === 'read' && message.status !== 'delivered');
  if (!isFirst || !isCounted(message) || message.sentAt === undefined) return [];
  const slot = slotAt(message.sentAt);
  if (isExpired(slot, now)) return [];
  return [{ update: keyOf(shardFor(message)), set: { ttl: ttlAt(now) }, add: { [`d${slot}`]: 1 } }];
};

const attributesOf = (slots: readonly number[]): string[] => slots.flatMap((slot) => [`s${slot}`, `d${slot}`]);

const slotsOf = (row: Row): Map<number, SlotCount> => {
  const slots = new Map<number, SlotCount>();
  for (const [name, value] of Object.entries(row)) {
    const [, kind, number] = SLOT.exec(name) ?? [];
    if (kind === undefined) continue;
    const { sends, delivered } = slots.get(Number(number)) ?? { sends: 0, delivered: 0 };
    const count = z.int().min(0).parse(value);
    slots.set(
      Number(number),
      kind === 's' ? { sends: sends + count, delivered } : { sends, delivered: delivered + count },
    );
  }
  return slots;
};

const dueRow = z.object({ dueAt: z.int().optional(), total: z.int().optional() });

/** A shard's share of the counts of its prefix. */
export const destinationCounts = (table: Table): DestinationCounts => ({
  async read(counted) {
    const { pk: partition, sk } = keyOf(counted);
    const rows = await table.queryAll({ partition, consistent: true });
    const counts = new Map<number, SlotCount>();
    for (const [slot, { sends, delivered }] of rows.flatMap((row) => [...slotsOf(row)])) {
      const so = counts.get(slot) ?? { sends: 0, delivered: 0 };
      counts.set(slot, { sends: so.sends + sends, delivered: so.delivered + delivered });
    }
    const own = rows.find((row) => row.sk === sk);
    if (!own) return undefined;
    return { ...dueRow.parse(own), counts, slots: [...slotsOf(own).keys()] };
  },
  async reschedule(counted, expired, at) {
    await table.write({
      update: keyOf(counted),
      set: { ...dueOf(counted, at), ttl: ttlAt(at) },
      remove: attributesOf(expired),
      when: { text: 'attribute_exists(#pk)' },
    });
  },
  async retire(counted, expired, total) {
    const written = await table.write({
      update: keyOf(counted),
      remove: ['duePk', 'dueAt', ...attributesOf(expired)],
      when: { text: '#total = :total', values: { total } },
    });
    return written.ok;
  },
});
