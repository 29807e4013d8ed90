import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import { randomBase62 } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { deliveryIdOf } from '../../domain/webhooks/envelope.ts';
import type { AttemptResult, AttemptSummary, DeliveryStore, Waiting } from '../../domain/webhooks/ports.ts';
import type { Delivery, Subscription } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { coalescedRead, coalescedTransact } from '../client/coalescer.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { CancelReason, Table, TransactOutcome } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { deliveryReads } from './delivery-reads.ts';
import { attemptRows, deliveryRows, readDelivery } from './delivery-rows.ts';
import { backlogWrite } from './subscriptions.ts';

/** An attempt is kept for 30 days; a delivery for 30 days after its creation and after each of its attempts. */
const KEEP_SECONDS = 30 * 24 * 3600;
const MAX_ATTEMPTS = 20;
/** Deliveries per transaction, besides the write to their subscription: 100 operations are the maximum (DynamoDB, TransactWriteItems). */
const MAX_IN_TRANSACTION = 99;

/** When a delivery's row expires, in s: `at` (ms) is its creation or last attempt. */
const ttlOf = (at: number): number => Math.ceil(at / 1000) + KEEP_SECONDS;

/** A delivery that may be attempted at `now`; undefined when it is not due, done, or claimed by another worker. Every field is checked. */
const readDue = (row: Row, now: number): Delivery | undefined => {
  const delivery = readDelivery(row);
  const isOpen = delivery.status === 'pending' || delivery.status === 'failed';
  const isDue = delivery.nextAttemptAt !== undefined && delivery.nextAttemptAt <= now;
  const isUnclaimed = row.claimedUntil === undefined || Number(row.claimedUntil) <= now;
  return isOpen && isDue && isUnclaimed ? delivery : undefined;
};

/** A new delivery's row. `dueEntry` puts it into the due index: by itself, or in its endpoint's backlog. */
const newRow = (delivery: Delivery, dueEntry: ReturnType<typeof INDEX_KEYS.due>): Row => ({
  ...deliveryRows.write(delivery),
  ...dueEntry,
  ttl: ttlOf(delivery.createdAt),
});
const dueNow = ({ id, createdAt }: Delivery) => INDEX_KEYS.due('deliver_webhook', id, createdAt);

const newDelivery = (subscription: Subscription, event: DomainEvent, sequence: number, now: number): Delivery => ({
  id: deliveryIdOf(subscription.id, event.id),
  webhookId: subscription.id,
  organizationId: subscription.organizationId,
  eventId: event.id,
  type: event.type,
  sequence,
  status: 'pending',
  attempts: 0,
  attemptCount: 0,
  nextAttemptAt: now,
  createdAt: now,
});

/** In one process, the events of a subscription take their sequence numbers one after another; across processes the condition decides. */
const queues = new Map<string, Promise<unknown>>();
const serialized = <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const turn = (queues.get(name) ?? Promise.resolve()).then(work, work);
  const settled = turn.catch(() => undefined).finally(() => queues.get(name) === settled && queues.delete(name));
  queues.set(name, settled);
  return turn;
};
/** The last sequence number that this process saw of a subscription: only a guess for the first attempt. */
const lastSequence = new Map<string, number>();

/** Whether a repeat found the delivery without an attempt: its work item may have been lost with the answer, or with the process that made it. */
const isUntried = (found: CancelReason | undefined): boolean =>
  found?.conditionFailed === true && found.row?.status === 'pending' && found.row.attemptCount === 0;

/** Assigns sequence numbers to events, in order. Deliveries that exist already keep theirs. */
const takeSequences = async (
  table: Table,
  subscription: Subscription,
  events: readonly DomainEvent[],
  now: number,
  drainAt: number | undefined,
): Promise<Waiting[]> => {
  const untried: Waiting[] = [];
  let waiting = events;
  let seen = Math.max(lastSequence.get(subscription.id) ?? 0, subscription.sequence);
  for (let lost = 0; waiting.length > 0; ) {
    const deliveries = waiting
      .slice(0, MAX_IN_TRANSACTION)
      .map((event, at) => newDelivery(subscription, event, seen + 1 + at, now));
    const outcome = await putWithSequences(table, subscription, seen, deliveries, drainAt);
    if (outcome.ok) {
      untried.push(...deliveries);
      seen += deliveries.length;
      lastSequence.set(subscription.id, seen);
      waiting = waiting.slice(MAX_IN_TRANSACTION);
      continue;
    }
    const [moved, ...puts] = outcome.reasons;
    if (moved?.conditionFailed && (!moved.row || moved.row.status === 'revoked')) return untried;
    if (moved?.row) seen = z.int().parse(moved.row.sequence);
    untried.push(...deliveries.filter((_, at) => isUntried(puts[at])));
    const left = waiting.filter((_, at) => !puts[at]?.conditionFailed);
    if (left.length === waiting.length && ++lost === MAX_ATTEMPTS)
      throw new Unavailable('The subscription changes too often to assign sequence numbers.');
    waiting = left;
  }
  return untried;
};

/** Raises the sequence by the number of deliveries, and puts them, all or nothing. */
const putWithSequences = (
  table: Table,
  { organizationId, id }: Subscription,
  seen: number,
  deliveries: readonly Delivery[],
  drainAt: number | undefined,
): Promise<TransactOutcome> => {
  const backlog = drainAt === undefined ? undefined : backlogWrite(id, deliveries[0]?.createdAt ?? drainAt, drainAt);
  return coalescedTransact(table, [
    {
      update: KEYS.webhook(organizationId, id),
      ...backlog,
      set: { ...backlog?.set, sequence: seen + deliveries.length },
      when: { text: '#sequence = :seen AND #status <> :revoked', values: { seen, revoked: 'revoked' } },
    },
    ...deliveries.map((delivery) => ({
      put: newRow(delivery, backlog ? INDEX_KEYS.backlogOf(id, delivery.createdAt) : dueNow(delivery)),
      when: ABSENT,
    })),
  ]);
};

/** Condition: this worker claimed the delivery, and no attempt was recorded since. */
const isClaimed = (delivery: Delivery): Condition => ({
  text: '#attemptCount = :count AND attribute_exists(#claimedUntil)',
  values: { count: delivery.attemptCount },
});

/** Condition: the delivery is due, has no attempt since it was read, and is not claimed. */
export const isFree = (delivery: Delivery, now: number): Condition => ({
  text: '#status IN (:pending, :failed) AND #attemptCount = :count AND #nextAttemptAt <= :now AND (attribute_not_exists(#claimedUntil) OR #claimedUntil <= :ms)',
  values: { pending: 'pending', failed: 'failed', count: delivery.attemptCount, now: isoTime(now), ms: now },
});

const claim = async (table: Table, delivery: Delivery, now: number, until: number): Promise<boolean> => {
  const claim = randomBase62(12);
  const set = { claimedUntil: until, claim, ...INDEX_KEYS.due('deliver_webhook', delivery.id, until) };
  const written = await coalescedTransact(table, [
    { update: KEYS.delivery(delivery.id), set, when: isFree(delivery, now) },
  ]);
  // A repeated claim whose answer was lost finds its own claim.
  return written.ok || written.reasons[0]?.row?.claim === claim;
};

const summaryOf = ({ at, status, durationMs, error }: AttemptSummary): Record<string, unknown> => ({
  at,
  durationMs,
  ...(status === undefined ? {} : { status }),
  ...(error === undefined ? {} : { error }),
});

const record = async (
  table: Table,
  delivery: Delivery,
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
  const outcome = await coalescedTransact(table, [
    {
      update: KEYS.delivery(delivery.id),
      set: { ...deliveryRows.set(changes), ...(nextAttemptAt === undefined ? {} : { dueAt: nextAttemptAt }), ttl },
      append: { summaries: [summaryOf(attempt)] },
      remove: ['claimedUntil', ...(nextAttemptAt === undefined ? ['duePk', 'dueAt', 'nextAttemptAt'] : [])],
      when: isClaimed(delivery),
    },
    { put: { ...attemptRows.write(attempt, delivery.id, number), ttl } },
  ]);
  return outcome.ok;
};

/** The deliveries of a stage. */
export const deliveryStore = (table: Table): DeliveryStore => ({
  ...deliveryReads(table),
  fanOut: (subscription, events, now, drainAt) =>
    serialized(subscription.id, () => takeSequences(table, subscription, events, now, drainAt)),
  async add(delivery) {
    await table.write({ put: newRow(delivery, dueNow(delivery)), when: ABSENT });
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
    const set = { dueAt: at, ...deliveryRows.set({ nextAttemptAt: at }) };
    const remove = ['claimedUntil'];
    await coalescedTransact(table, [{ update: KEYS.delivery(delivery.id), set, remove, when: isClaimed(delivery) }]);
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
