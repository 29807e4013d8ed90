import { definedFields, definedTimes } from '../core/patch.ts';
import { isoTime } from '../core/time.ts';
import { shownHeader } from './header-values.ts';
import type { Attempt, AttemptSummary, StoredDelivery } from './ports.ts';
import type { Subscription } from './subscription.ts';

/** A subscription as the API returns it (docs/spec/webhooks.md#subscription-shape). Secret and header values are never in clear. */
export const webhookView = (subscription: Subscription) => ({
  id: subscription.id,
  organizationId: subscription.organizationId,
  url: subscription.url,
  secretCipher: subscription.secrets[0]?.sealed ?? '',
  secretVersion: subscription.secrets[0]?.version ?? 0,
  ...definedFields({ headers: subscription.headers?.map(shownHeader) }),
  events: [...subscription.events],
  status: subscription.status,
  ...definedFields({ description: subscription.description }),
  retry: { ...subscription.retry },
  createdById: subscription.createdById,
  consecutiveFailures: subscription.consecutiveFailures,
  ...definedTimes({ lastSuccessAt: subscription.lastSuccessAt, lastFailureAt: subscription.lastFailureAt }),
  createdAt: isoTime(subscription.createdAt),
  updatedAt: isoTime(subscription.updatedAt),
});

const attemptView = ({ at, ...attempt }: Attempt | AttemptSummary) => ({
  at: isoTime(at),
  ...definedFields(attempt),
  durationMs: attempt.durationMs,
});

/** A delivery with summaries of its attempts. */
export const deliveryView = (delivery: StoredDelivery) => deliveryWith(delivery, delivery.summaries);

/** A delivery with its attempts, in full or as summaries. */
export const deliveryWith = (delivery: StoredDelivery, attempts: readonly (Attempt | AttemptSummary)[]) => ({
  id: delivery.id,
  eventId: delivery.eventId,
  type: delivery.type,
  ...definedFields({ sequence: delivery.sequence }),
  status: delivery.status,
  attempts: attempts.map(attemptView),
  ...(delivery.status === 'pending' || delivery.status === 'failed'
    ? definedTimes({ nextAttemptAt: delivery.nextAttemptAt })
    : {}),
  createdAt: isoTime(delivery.createdAt),
});
