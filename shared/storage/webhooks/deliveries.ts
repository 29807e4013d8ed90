import * as z from 'zod';
import { randomBase62 } from '../../domain/core/ids.ts';
import { definedFields } from '../../domain/core/patch.ts';
import { isoTime } from '../../domain/core/time.ts';
import type {
  AttemptResult,
  AttemptSummary,
  ClaimedDelivery,
  DeliveryStore,
  FoundDue,
} from '../../domain/webhooks/ports.ts';
import type { Delivery } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { coalescedPut, coalescedRead } from '../client/coalescer.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { deliveryReads } from './delivery-reads.ts';
import { attemptRows, deliveryRows, firstDue, newRow, readDelivery, ttlOf } from './delivery-rows.ts';
import { fanOut } from './fan-out.ts';

/** The attributes of a claim: until when it holds (ms), and its own random text. */
export const CLAIM = ['claimedUntil', 'claim'] as const;

/** A delivery that is due at `now`, with the end of another worker's claim; undefined when it is not due, or done. Every field is checked. */
const readDue = (row: Row, now: number): FoundDue | undefined => {
  const delivery = readDelivery(row);
  const isOpen = delivery.status === 'pending' || delivery.status === 'failed';
  const isDue = delivery.nextAttemptAt !== undefined && delivery.nextAttemptAt <= now;
  const claimedUntil = z.int().default(0).parse(row.claimedUntil);
  return isOpen && isDue ? { delivery, ...(claimedUntil > now ? { claimedUntil } : {}) } : undefined;
};

/** Condition: this worker's claim is the delivery's last, and no attempt was recorded under it. */
const isClaimed = ({ claim }: ClaimedDelivery): Condition => ({ text: '#claim = :claim', values: { claim } });

/** Condition: the delivery is due, has no attempt since it was read, and is not claimed. */
export const isFree = (delivery: Delivery, now: number): Condition => ({
  text: '#status IN (:pending, :failed) AND #attemptCount = :count AND #nextAttemptAt <= :now AND (attribute_not_exists(#claimedUntil) OR #claimedUntil <= :ms)',
  values: { pending: 'pending', failed: 'failed', count: delivery.attemptCount, now: isoTime(now), ms: now },
});

/**
 * Claims a delivery without a change of its index entries: it stays due, and whoever finds it due meanwhile finds it claimed.
 */
const claim = async (
  table: Table,
  delivery: Delivery,
  now: number,
  until: number,
): Promise<ClaimedDelivery | undefined> => {
  const claim = randomBase62(12);
  const set = { claimedUntil: until, claim };
  const { ok, row } = await table.write({ update: KEYS.delivery(delivery.id), set, when: isFree(delivery, now) });
  // A repeated claim whose response was lost finds its own claim.
  return ok || row?.claim === claim ? { ...delivery, claim } : undefined;
};

const summaryOf = ({ at, status, durationMs, error }: AttemptSummary, claim: string): Record<string, unknown> => ({
  at,
  durationMs,
  claim,
  ...definedFields({ status, error }),
});

/**
 * Records an attempt in two writes: first its own row, which counts only once the delivery contains the claim under which it was made. An
 * attempt of a worker that crashes between the two, or lost its claim, is never shown.
 */
const record = async (
  table: Table,
  delivery: ClaimedDelivery,
  { attempt, status, nextAttemptAt }: AttemptResult,
): Promise<boolean> => {
  const number = delivery.attemptCount + 1;
  const changes = {
    status,
    attempts: delivery.attempts + 1,
    attemptCount: number,
    firstAt: delivery.firstAt ?? attempt.at,
    nextAttemptAt,
  };
  // Attempts are found by their delivery: it is kept as long as the last of them.
  const ttl = ttlOf(attempt.at);
  await coalescedPut(table, { ...attemptRows.write(attempt, delivery.id, number, delivery.claim), ttl });
  const due = nextAttemptAt === undefined ? {} : INDEX_KEYS.due('deliver_webhook', delivery.id, nextAttemptAt);
  const { ok, row } = await table.write({
    update: KEYS.delivery(delivery.id),
    set: { ...deliveryRows.set(changes), ...due, ttl },
    append: { summaries: [summaryOf(attempt, delivery.claim)] },
    remove: [...CLAIM, ...(nextAttemptAt === undefined ? ['duePk', 'dueAt', 'nextAttemptAt'] : [])],
    when: isClaimed(delivery),
  });
  // A repeated record whose response was lost finds its own attempt.
  return ok || (row !== undefined && deliveryRows.read(row).summaries?.at(-1)?.claim === delivery.claim);
};

/** The deliveries of a stage. */
export const deliveryStore = (table: Table): DeliveryStore => ({
  ...deliveryReads(table),
  fanOut: (subscription, events, now, drainAt) => fanOut(table, subscription, events, now, drainAt),
  async add(delivery) {
    await table.write({ put: newRow(delivery, firstDue(delivery)), when: ABSENT });
  },
  async readDue(ids, now) {
    const rows = await coalescedRead(
      table,
      ids.map((id) => KEYS.delivery(id)),
    );
    return Promise.allSettled(rows.map(async (row) => (row ? readDue(row, now) : undefined)));
  },
  claim: (delivery, now, until) => claim(table, delivery, now, until),
  async postpone(delivery, at) {
    await table.write({
      update: KEYS.delivery(delivery.id),
      set: { ...INDEX_KEYS.due('deliver_webhook', delivery.id, at), ...deliveryRows.set({ nextAttemptAt: at }) },
      remove: CLAIM,
      when: isClaimed(delivery),
    });
  },
  async advance(delivery, at) {
    await table.write({
      update: KEYS.delivery(delivery.id),
      set: { ...INDEX_KEYS.due('deliver_webhook', delivery.id, at), ...deliveryRows.set({ nextAttemptAt: at }) },
      when: {
        text: '#attemptCount = :count AND attribute_exists(#duePk) AND attribute_not_exists(#claimedUntil)',
        values: { count: delivery.attemptCount },
      },
    });
  },
  record: (delivery, result) => record(table, delivery, result),
  async replay(delivery, now, entry) {
    const replayed: WriteOp = {
      update: KEYS.delivery(delivery.id),
      set: {
        ...deliveryRows.set({ status: 'pending', attempts: 0, nextAttemptAt: now }),
        ...INDEX_KEYS.due('deliver_webhook', delivery.id, now),
      },
      remove: ['firstAt'],
      when: {
        text: '#attemptCount = :count AND attribute_not_exists(#claimedUntil)',
        values: { count: delivery.attemptCount },
      },
    };
    if (entry === undefined) {
      const { ok, row } = await table.write(replayed);
      return ok && row ? readDelivery(row) : undefined;
    }
    const { ok } = await table.transact([replayed, ...auditWrites(entry)]);
    const row = ok ? await table.get(KEYS.delivery(delivery.id)) : undefined;
    return row && readDelivery(row);
  },
});
