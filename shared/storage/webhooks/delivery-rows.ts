import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { PRIORITIES } from '../../domain/core/priority.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { AttemptSummary, KeptAttempt, StoredDelivery } from '../../domain/webhooks/ports.ts';
import { CLAIM_MS } from '../../domain/webhooks/schedule.ts';
import { DELIVERY_STATUSES, type Delivery } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** An attempt in its delivery's row, with the claim under which its own row stands. */
interface ClaimedSummary extends AttemptSummary {
  readonly claim: string;
}
interface DeliveryRow extends Omit<Delivery, 'inBacklog'> {
  /** Absent until the first attempt. */
  readonly summaries?: readonly ClaimedSummary[];
}
/** A delivery's row is kept for 30 days after its creation and after each of its attempts. */
const KEEP_SECONDS = 30 * 24 * 3600;

/** Deliveries, with the index entries of their lists; the due entry is set separately. */
export const deliveryRows = defineRow<DeliveryRow>()({
  attributes: {
    id: id('delivery'),
    webhookId: id('webhook'),
    organizationId: id('organization'),
    eventId: id('event'),
    type: z.string(),
    sequence: z.int().optional(),
    status: z.enum(DELIVERY_STATUSES),
    attempts: z.int(),
    attemptCount: z.int(),
    firstAt: time.optional(),
    nextAttemptAt: time.optional(),
    createdAt: time,
    priority: z.enum(PRIORITIES).optional(),
    summaries: z
      .array(
        z.object({
          at: z.int(),
          status: z.int().optional(),
          durationMs: z.number(),
          error: z.string().optional(),
          claim: z.string(),
        }),
      )
      .exactOptional(),
  },
  key: (delivery) => KEYS.delivery(delivery.id),
  index: ({ id, webhookId, createdAt }) => INDEX_KEYS.deliveriesOf(webhookId, isoTime(createdAt), id),
});

/** Whether a delivery waits in its endpoint's backlog. */
export const isInBacklog = (row: Row, webhookId: Id<'webhook'>, deliveryId: Id<'delivery'>): boolean =>
  row.duePk === INDEX_KEYS.backlogOf(webhookId, deliveryId, 0).duePk;

/** A stored delivery: its due entry shows whether it waits in its endpoint's backlog. */
export const readDelivery = (row: Row): StoredDelivery => {
  const { summaries = [], ...delivery } = deliveryRows.read(row);
  return {
    ...delivery,
    summaries: summaries.map(({ claim: _, ...summary }) => summary),
    ...(isInBacklog(row, delivery.webhookId, delivery.id) ? { inBacklog: true } : {}),
  };
};

/** When a delivery's row expires, in s: `at` (ms) is its creation or last attempt. */
export const ttlOf = (at: number): number => Math.ceil(at / 1000) + KEEP_SECONDS;

/** A new delivery's row. `dueEntry` puts it into the due index: by itself, or in its endpoint's backlog. */
export const newRow = (delivery: Delivery, dueEntry: ReturnType<typeof INDEX_KEYS.due>): Row => ({
  ...deliveryRows.write(delivery),
  ...dueEntry,
  ttl: ttlOf(delivery.createdAt),
});

/**
 * The due entry of a new delivery, which its creator enqueues immediately: late enough that the claim of a crashed worker has expired, so
 * that one check finds what it left.
 */
export const firstDue = ({ id, createdAt }: Delivery) => INDEX_KEYS.due('deliver_webhook', id, createdAt + CLAIM_MS);

/** The attempts of a delivery. */
export const attemptRows = defineRow<KeptAttempt>()({
  attributes: {
    at: z.int(),
    status: z.int().optional(),
    durationMs: z.number(),
    exchange: z.string().optional(),
    error: z.string().optional(),
  },
  key: (_, deliveryId: Id<'delivery'>, number: number, claim: string) => KEYS.attempt(deliveryId, number, claim),
});
