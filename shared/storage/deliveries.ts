import * as z from 'zod';
import { Unavailable } from '../domain/errors.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import { randomBase62 } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import { deliveryIdOf } from '../domain/webhooks/envelope.ts';
import type {
  AttemptResult,
  AttemptSummary,
  DeliveryStore,
  StoredDelivery,
  Waiting,
} from '../domain/webhooks/ports.ts';
import { DELIVERY_STATUSES, type Delivery, type Subscription } from '../domain/webhooks/subscription.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { deliveryReads } from './delivery-reads.ts';
import type { Condition } from './expressions.ts';
import type { CancelReason, Row, Table, TransactOutcome } from './table.ts';
import { readTogether, transactTogether } from './together.ts';
import { parkedWrite } from './webhooks.ts';

/** An attempt is kept for 30 days, a delivery for as long after it was made, and after each of its attempts. */
const KEEP_SECONDS = 30 * 24 * 3600;
const TRIES = 20;
/** Deliveries made in one transaction, beside the write to their subscription: 100 rows are the most (DynamoDB, TransactWriteItems). */
const AT_ONCE = 99;

const time = z.iso.datetime().transform((text) => Date.parse(text));
const summary = z.object({
  at: z.int(),
  status: z.int().optional(),
  durationMs: z.number(),
  error: z.string().optional(),
});
const stored = z.object({
  id: z.string(),
  webhookId: z.string(),
  org: z.string(),
  eventId: z.string(),
  type: z.string(),
  sequence: z.int().optional(),
  status: z.enum(DELIVERY_STATUSES),
  attempts: z.int(),
  attemptCount: z.int(),
  firstAt: time.optional(),
  nextAttemptAt: time.optional(),
  createdAt: time,
  summaries: z.array(summary).default([]),
  claimedUntil: z.int().optional(),
  duePk: z.string().optional(),
});

/** Reads a delivery's row; every field is checked. */
export const parseDelivery = (row: Row): StoredDelivery => {
  const { org, claimedUntil: _, duePk, ...fields } = stored.parse(row);
  const parked = duePk === FINDS.backlogOf(fields.webhookId, 0).duePk;
  return { ...fields, organizationId: org, ...(parked ? { parked } : {}) } as unknown as StoredDelivery;
};

/** A delivery that may be tried at `now`; undefined when it is not due, done, or another worker's. Every field is checked. */
const parseDue = (row: Row, now: number): StoredDelivery | undefined => {
  const delivery = parseDelivery(row);
  const isOpen = delivery.status === 'pending' || delivery.status === 'failed';
  const isDue = delivery.nextAttemptAt !== undefined && delivery.nextAttemptAt <= now;
  const isFree = row.claimedUntil === undefined || Number(row.claimedUntil) <= now;
  return isOpen && isDue && isFree ? delivery : undefined;
};

const optional = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

/** Where a delivery is found by time: by its own, or in its endpoint's backlog. */
type Found = ReturnType<typeof FINDS.due>;
const dueNow = ({ id, createdAt }: Delivery): Found => FINDS.due('deliver_webhook', id, createdAt);

const rowOf = ({ organizationId: org, ...delivery }: Delivery, found: Found) => {
  const createdAt = isoTime(delivery.createdAt);
  return {
    ...KEYS.delivery(delivery.id),
    ...(delivery.sequence === undefined ? {} : FINDS.eventsOf(delivery.webhookId, delivery.sequence)),
    ...FINDS.deliveriesOf(delivery.webhookId, createdAt, delivery.id),
    ...found,
    ...delivery,
    org,
    createdAt,
    firstAt: optional(delivery.firstAt),
    nextAttemptAt: optional(delivery.nextAttemptAt),
    ttl: Math.ceil(delivery.createdAt / 1000) + KEEP_SECONDS,
  };
};

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

/** Whether a repeat found it there and nobody has tried it: its hint may have been lost with the answer, or with whoever made it. */
const isUntried = (found: CancelReason | undefined): boolean =>
  found?.conditionFailed === true && found.row?.status === 'pending' && found.row.attemptCount === 0;

/** Gives events their sequences, in their order. What a repeat made already keeps its own and takes none. */
const takeSequences = async (
  table: Table,
  subscription: Subscription,
  events: readonly DomainEvent[],
  now: number,
  lookAt: number | undefined,
): Promise<Waiting[]> => {
  const untried: Waiting[] = [];
  let waiting = events;
  let seen = Math.max(lastSequence.get(subscription.id) ?? 0, subscription.sequence);
  for (let lost = 0; waiting.length > 0; ) {
    const deliveries = waiting.slice(0, AT_ONCE).map((event, at) => fresh(subscription, event, seen + 1 + at, now));
    const outcome = await giveOut(table, subscription, seen, deliveries, lookAt);
    if (outcome.ok) {
      untried.push(...deliveries);
      seen += deliveries.length;
      lastSequence.set(subscription.id, seen);
      waiting = waiting.slice(AT_ONCE);
      continue;
    }
    const [moved, ...puts] = outcome.reasons;
    if (moved?.conditionFailed && (!moved.row || moved.row.status === 'revoked')) return untried;
    if (moved?.row) seen = z.int().parse(moved.row.sequence);
    untried.push(...deliveries.filter((_, at) => isUntried(puts[at])));
    const left = waiting.filter((_, at) => !puts[at]?.conditionFailed);
    if (left.length === waiting.length && ++lost === TRIES)
      throw new Unavailable('The subscription moved too fast to be given its events.');
    waiting = left;
  }
  return untried;
};

/** Raises the sequence by as many as there are deliveries, and puts them, all or nothing. */
const giveOut = (
  table: Table,
  { organizationId, id }: Subscription,
  seen: number,
  deliveries: readonly Delivery[],
  lookAt: number | undefined,
): Promise<TransactOutcome> => {
  const parked = lookAt === undefined ? undefined : parkedWrite(id, deliveries[0]?.createdAt ?? lookAt, lookAt);
  return transactTogether(table, [
    {
      update: KEYS.webhook(organizationId, id),
      ...parked,
      set: { ...parked?.set, sequence: seen + deliveries.length },
      when: { text: '#sequence = :seen AND #status <> :revoked', values: { seen, revoked: 'revoked' } },
    },
    ...deliveries.map((delivery) => ({
      put: rowOf(delivery, parked ? FINDS.backlogOf(id, delivery.createdAt) : dueNow(delivery)),
      when: { text: 'attribute_not_exists(#pk)' },
    })),
  ]);
};

/** This worker claimed it, and nobody recorded an attempt since. */
const isOurs = (delivery: Delivery): Condition => ({
  text: '#attemptCount = :count AND attribute_exists(#claimedUntil)',
  values: { count: delivery.attemptCount },
});

/** It stands as it was read, open, and nobody has it. */
export const isFree = (delivery: Delivery, now: number): Condition => ({
  text: '#status IN (:pending, :failed) AND #attemptCount = :count AND #nextAttemptAt <= :now AND (attribute_not_exists(#claimedUntil) OR #claimedUntil <= :ms)',
  values: { pending: 'pending', failed: 'failed', count: delivery.attemptCount, now: isoTime(now), ms: now },
});

const claim = async (table: Table, delivery: Delivery, now: number, until: number): Promise<boolean> => {
  const claim = randomBase62(12);
  const set = { claimedUntil: until, claim, ...FINDS.due('deliver_webhook', delivery.id, until) };
  const written = await transactTogether(table, [
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
  // The delivery is how its attempts are found: it stays as long as the last of them.
  const ttl = Math.ceil(attempt.at / 1000) + KEEP_SECONDS;
  const outcome = await transactTogether(table, [
    {
      update: KEYS.delivery(delivery.id),
      set: {
        status,
        attempts: delivery.attempts + 1,
        attemptCount: number,
        firstAt: isoTime(delivery.firstAt ?? attempt.at),
        nextAttemptAt: optional(nextAttemptAt),
        ...(nextAttemptAt === undefined ? {} : { dueAt: nextAttemptAt }),
        ttl,
      },
      append: { summaries: [summaryOf(attempt)] },
      remove: ['claimedUntil', ...(nextAttemptAt === undefined ? ['duePk', 'dueAt', 'nextAttemptAt'] : [])],
      when: isOurs(delivery),
    },
    { put: { ...KEYS.attempt(delivery.id, number), ...attempt, ttl } },
  ]);
  return outcome.ok;
};

/** The deliveries of a stage over its table. */
export const deliveryStore = (table: Table): DeliveryStore => ({
  ...deliveryReads(table, parseDelivery),
  fanOut: (subscription, events, now, lookAt) =>
    inTurn(subscription.id, () => takeSequences(table, subscription, events, now, lookAt)),
  async add(delivery) {
    await table.write({ put: rowOf(delivery, dueNow(delivery)), when: { text: 'attribute_not_exists(#pk)' } });
  },
  async readDue(ids, now) {
    const rows = await readTogether(
      table,
      ids.map((id) => KEYS.delivery(id)),
    );
    return Promise.allSettled(rows.map(async (row) => (row ? parseDue(row, now) : undefined)));
  },
  claim: (delivery, now, until) => claim(table, delivery, now, until),
  async postpone(delivery, at) {
    const set = { dueAt: at, nextAttemptAt: isoTime(at) };
    const remove = ['claimedUntil'];
    await transactTogether(table, [{ update: KEYS.delivery(delivery.id), set, remove, when: isOurs(delivery) }]);
  },
  async advance(delivery, at) {
    await table.write({
      update: KEYS.delivery(delivery.id),
      set: { ...FINDS.due('deliver_webhook', delivery.id, at), nextAttemptAt: isoTime(at) },
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
        status: 'pending',
        attempts: 0,
        nextAttemptAt: isoTime(now),
        ...FINDS.due('deliver_webhook', delivery.id, now),
      },
      remove: ['firstAt'],
      when: {
        text: '#attemptCount = :count AND attribute_not_exists(#claimedUntil)',
        values: { count: delivery.attemptCount },
      },
    });
    return written.ok && written.row ? parseDelivery(written.row) : undefined;
  },
});
