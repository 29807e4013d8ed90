import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import { randomBase62 } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { deliveryIdOf } from '../../domain/webhooks/envelope.ts';
import type { AttemptResult, AttemptSummary, DeliveryStore, Waiting } from '../../domain/webhooks/ports.ts';
import type { Delivery, Subscription } from '../../domain/webhooks/subscription.ts';
import { INDEX_KEYS, KEYS } from '../access-patterns.ts';
import { coalescedRead, coalescedTransact } from '../client/coalescer.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { CancelReason, Table, TransactOutcome } from '../client/table.ts';
import { deliveryReads } from './delivery-reads.ts';
import { attemptRows, deliveryRows, readDelivery } from './delivery-rows.ts';
import { parkedWrite } from './subscriptions.ts';

/** An attempt is kept for 30 days, a delivery for as long after it was made, and after each of its attempts. */
const KEEP_SECONDS = 30 * 24 * 3600;
const MAX_ATTEMPTS = 20;
/** Deliveries made in one transaction, beside the write to their subscription: 100 rows are the most (DynamoDB, TransactWriteItems). */
const MAX_IN_TRANSACTION = 99;

/** When a delivery's row goes away by itself, in s: at `at` (ms) it was made or tried. */
const ttlOf = (at: number): number => Math.ceil(at / 1000) + KEEP_SECONDS;

/** A delivery that may be tried at `now`; undefined when it is not due, done, or another worker's. Every field is checked. */
const readDue = (row: Row, now: number): Delivery | undefined => {
  const delivery = readDelivery(row);
  const isOpen = delivery.status === 'pending' || delivery.status === 'failed';
  const isDue = delivery.nextAttemptAt !== undefined && delivery.nextAttemptAt <= now;
  const isUnclaimed = row.claimedUntil === undefined || Number(row.claimedUntil) <= now;
  return isOpen && isDue && isUnclaimed ? delivery : undefined;
};

/** A new delivery's row. `dueEntry` is where it is found by time: by its own, or in its endpoint's backlog. */
const newRow = (delivery: Delivery, dueEntry: ReturnType<typeof INDEX_KEYS.due>): Row => ({
  ...deliveryRows.write(delivery),
  ...dueEntry,
  ttl: ttlOf(delivery.createdAt),
});
const dueNow = ({ id, createdAt }: Delivery) => INDEX_KEYS.due('deliver_webhook', id, createdAt);

const fresh = (subscription: Subscription, event: DomainEvent, sequence: number, now: number): Delivery => ({
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

/** In one process the events of one subscription take their sequence one after another; across processes the condition decides. */
const turns = new Map<string, Promise<unknown>>();
const inTurn = <T>(name: string, work: () => Promise<T>): Promise<T> => {
  const turn = (turns.get(name) ?? Promise.resolve()).then(work, work);
  const settled = turn.catch(() => undefined).finally(() => turns.get(name) === settled && turns.delete(name));
  turns.set(name, settled);
  return turn;
};
/** The last sequence this process saw of a subscription: only a guess for the first try. */
const lastSequence = new Map<string, number>();

/** Whether a repeat found the delivery there untried: its work item may have been lost with the answer, or with whoever made it. */
const isUntried = (found: CancelReason | undefined): boolean =>
  found?.conditionFailed === true && found.row?.status === 'pending' && found.row.attemptCount === 0;

/** Gives events their sequences, in their order. What a repeat made already keeps its own and takes none. */
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
      .map((event, at) => fresh(subscription, event, seen + 1 + at, now));
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
      throw new Unavailable('The subscription moved too fast to be given its events.');
    waiting = left;
  }
  return untried;
};

/** Raises the sequence by as many as there are deliveries, and puts them, all or nothing. */
const putWithSequences = (
  table: Table,
  { organizationId, id }: Subscription,
  seen: number,
  deliveries: readonly Delivery[],
  drainAt: number | undefined,
): Promise<TransactOutcome> => {
  const parked = drainAt === undefined ? undefined : parkedWrite(id, deliveries[0]?.createdAt ?? drainAt, drainAt);
  return coalescedTransact(table, [
    {
      update: KEYS.webhook(organizationId, id),
      ...parked,
      set: { ...parked?.set, sequence: seen + deliveries.length },
      when: { text: '#sequence = :seen AND #status <> :revoked', values: { seen, revoked: 'revoked' } },
    },
    ...deliveries.map((delivery) => ({
      put: newRow(delivery, parked ? INDEX_KEYS.backlogOf(id, delivery.createdAt) : dueNow(delivery)),
      when: ABSENT,
    })),
  ]);
};

/** Condition: this worker claimed the delivery, and nobody recorded an attempt since. */
const isOurs = (delivery: Delivery): Condition => ({
  text: '#attemptCount = :count AND attribute_exists(#claimedUntil)',
  values: { count: delivery.attemptCount },
});

/** Condition: the delivery is due, has no other attempt than when it was read, and no worker has a claim on it. */
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
  // A claim whose answer was lost finds itself there when it is repeated.
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
  // The delivery is how its attempts are found: it stays as long as the last of them.
  const ttl = ttlOf(attempt.at);
  const outcome = await coalescedTransact(table, [
    {
      update: KEYS.delivery(delivery.id),
      set: { ...deliveryRows.set(changes), ...(nextAttemptAt === undefined ? {} : { dueAt: nextAttemptAt }), ttl },
      append: { summaries: [summaryOf(attempt)] },
      remove: ['claimedUntil', ...(nextAttemptAt === undefined ? ['duePk', 'dueAt', 'nextAttemptAt'] : [])],
      when: isOurs(delivery),
    },
    { put: { ...attemptRows.write(attempt, delivery.id, number), ttl } },
  ]);
  return outcome.ok;
};

/** The deliveries of a stage over its table. */
export const deliveryStore = (table: Table): DeliveryStore => ({
  ...deliveryReads(table),
  fanOut: (subscription, events, now, drainAt) =>
    inTurn(subscription.id, () => takeSequences(table, subscription, events, now, drainAt)),
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
    await coalescedTransact(table, [{ update: KEYS.delivery(delivery.id), set, remove, when: isOurs(delivery) }]);
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
  async replay(delivery, now) {
    const written = await table.write({
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
    });
    return written.ok && written.row ? readDelivery(written.row) : undefined;
  },
});
