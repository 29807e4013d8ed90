import * as z from 'zod';
import { Unavailable } from '../domain/errors.ts';
import type { DomainEvent } from '../domain/events/event.ts';
import { isoTime } from '../domain/time.ts';
import { deliveryIdOf } from '../domain/webhooks/envelope.ts';
import type { Attempt, AttemptResult, DeliveryStore, StoredDelivery } from '../domain/webhooks/ports.ts';
import { DELIVERY_STATUSES, type Delivery, type Subscription } from '../domain/webhooks/subscription.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { deliveryReads } from './delivery-reads.ts';
import type { Condition } from './expressions.ts';
import type { Row, Table } from './table.ts';

/** A delivery is kept as long as its event and its attempts. */
const KEEP_SECONDS = 30 * 24 * 3600;
const ATTEMPT_SECONDS = 30 * 24 * 3600;
const TRIES = 20;

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
});

/** Reads a delivery's row; every field is checked. */
export const parseDelivery = (row: Row): StoredDelivery => {
  const { org, ...fields } = stored.parse(row);
  return { ...fields, organizationId: org } as unknown as StoredDelivery;
};

const optional = (ms: number | undefined) => (ms === undefined ? undefined : isoTime(ms));

const rowOf = ({ organizationId: org, ...delivery }: Delivery, dueAt: number) => {
  const createdAt = isoTime(delivery.createdAt);
  return {
    ...KEYS.delivery(delivery.id),
    ...(delivery.sequence === undefined ? {} : FINDS.eventsOf(delivery.webhookId, delivery.sequence)),
    ...FINDS.deliveriesOf(delivery.webhookId, createdAt, delivery.id),
    ...FINDS.due('deliver_webhook', delivery.id, dueAt),
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

const takeSequence = async (
  table: Table,
  subscription: Subscription,
  event: DomainEvent,
  now: number,
): Promise<Delivery | undefined> => {
  let seen = Math.max(lastSequence.get(subscription.id) ?? 0, subscription.sequence);
  for (let turn = 0; turn < TRIES; turn++) {
    const delivery = fresh(subscription, event, seen + 1, now);
    const outcome = await table.transact([
      {
        update: KEYS.webhook(subscription.organizationId, subscription.id),
        set: { sequence: seen + 1 },
        when: { text: '#sequence = :seen AND #status <> :revoked', values: { seen, revoked: 'revoked' } },
      },
      { put: rowOf(delivery, now), when: { text: 'attribute_not_exists(#pk)' } },
    ]);
    if (outcome.ok) {
      lastSequence.set(subscription.id, seen + 1);
      return delivery;
    }
    if (outcome.reasons[1]?.conditionFailed) return undefined;
    const row = outcome.reasons[0]?.row;
    if (!row || row.status === 'revoked') return undefined;
    seen = z.int().parse(row.sequence);
  }
  throw new Unavailable('The subscription moved too fast to be given an event.');
};

const ours = (delivery: Delivery): Condition => ({
  text: '#attemptCount = :count AND attribute_exists(#claimedUntil)',
  values: { count: delivery.attemptCount },
});

const summaryOf = ({ at, status, durationMs, error }: Attempt): Record<string, unknown> => ({
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
  const outcome = await table.transact([
    {
      update: KEYS.delivery(delivery.id),
      set: {
        status,
        attempts: delivery.attempts + 1,
        attemptCount: number,
        firstAt: isoTime(delivery.firstAt ?? attempt.at),
        nextAttemptAt: optional(nextAttemptAt),
        ...(nextAttemptAt === undefined ? {} : { dueAt: nextAttemptAt }),
      },
      append: { summaries: [summaryOf(attempt)] },
      remove: ['claimedUntil', ...(nextAttemptAt === undefined ? ['duePk', 'dueAt', 'nextAttemptAt'] : [])],
      when: ours(delivery),
    },
    { put: { ...KEYS.attempt(delivery.id, number), ...attempt, ttl: Math.ceil(attempt.at / 1000) + ATTEMPT_SECONDS } },
  ]);
  return outcome.ok;
};

/** The deliveries of a stage over its table. */
export const deliveryStore = (table: Table): DeliveryStore => ({
  ...deliveryReads(table, parseDelivery),
  fanOut: (subscription, event, now) => inTurn(subscription.id, () => takeSequence(table, subscription, event, now)),
  async add(delivery) {
    await table.write({ put: rowOf(delivery, delivery.createdAt), when: { text: 'attribute_not_exists(#pk)' } });
  },
  async claim(deliveryId, now, until) {
    const written = await table.write({
      update: KEYS.delivery(deliveryId),
      set: { claimedUntil: until, dueAt: until },
      when: {
        text: '#status IN (:pending, :failed) AND #nextAttemptAt <= :now AND (attribute_not_exists(#claimedUntil) OR #claimedUntil <= :ms)',
        values: { pending: 'pending', failed: 'failed', now: isoTime(now), ms: now },
      },
    });
    return written.ok && written.row ? parseDelivery(written.row) : undefined;
  },
  async postpone(delivery, at) {
    await table.write({
      update: KEYS.delivery(delivery.id),
      set: { dueAt: at, nextAttemptAt: isoTime(at) },
      remove: ['claimedUntil'],
      when: ours(delivery),
    });
  },
  async advance(delivery, at) {
    await table.write({
      update: KEYS.delivery(delivery.id),
      set: { dueAt: at, nextAttemptAt: isoTime(at) },
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
