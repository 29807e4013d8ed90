import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { AttemptSummary, KeptAttempt, StoredDelivery } from '../../domain/webhooks/ports.ts';
import { DELIVERY_STATUSES, type Delivery } from '../../domain/webhooks/subscription.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

interface DeliveryRow extends Omit<Delivery, 'inBacklog'> {
  /** Absent until the first attempt. */
  readonly summaries?: readonly AttemptSummary[];
}

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
    summaries: z
      .array(
        z.object({
          at: z.int(),
          status: z.int().optional(),
          durationMs: z.number(),
          error: z.string().optional(),
        }),
      )
      .exactOptional(),
  },
  rename: { organizationId: 'org' },
  key: (delivery) => KEYS.delivery(delivery.id),
  index: ({ id, webhookId, sequence, createdAt }) => ({
    ...(sequence === undefined ? {} : INDEX_KEYS.eventsOf(webhookId, sequence)),
    ...INDEX_KEYS.deliveriesOf(webhookId, isoTime(createdAt), id),
  }),
});

/** A stored delivery: its due entry shows whether it waits in its endpoint's backlog. */
export const readDelivery = (row: Row): StoredDelivery => {
  const { summaries = [], ...delivery } = deliveryRows.read(row);
  const inBacklog = row.duePk === INDEX_KEYS.backlogOf(delivery.webhookId, 0).duePk;
  return { ...delivery, summaries, ...(inBacklog ? { inBacklog } : {}) };
};

/** The attempts of a delivery. */
export const attemptRows = defineRow<KeptAttempt>()({
  attributes: {
    at: z.int(),
    status: z.int().optional(),
    durationMs: z.number(),
    exchange: z.string().optional(),
    error: z.string().optional(),
  },
  key: (_, deliveryId: Id<'delivery'>, number: number) => KEYS.attempt(deliveryId, number),
});
