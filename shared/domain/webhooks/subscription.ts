import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { Priority } from '../core/priority.ts';
import type { EventType } from '../events/catalogue.ts';
import type { RetrySettings } from './schedule.ts';

export const SUBSCRIPTION_STATUSES = ['active', 'paused', 'failing', 'revoked'] as const;
export type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

/** `pending`: not attempted yet; `failed`: to be attempted again later; `abandoned`: no more attempts. */
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'abandoned'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** A sealed signing secret; an old one signs until its end (ms). */
export interface SealedSecret {
  readonly version: number;
  readonly sealed: string;
  readonly endsAt?: number | undefined;
}

/**
 * A header that a subscription adds to every delivery: its sealed value, and the masked form for responses; rows from
 * before sealing have plain text.
 */
export type StoredHeader =
  | { readonly key: string; readonly sealed: string; readonly shown: string }
  | { readonly key: string; readonly value: string };

/** A stored subscription (docs/spec/webhooks.md#subscription-shape). Times are ms. */
export interface Subscription extends Tenant {
  readonly id: Id<'webhook'>;
  readonly url: string;
  /** Newest first; responses show the first. */
  readonly secrets: readonly SealedSecret[];
  readonly headers?: readonly StoredHeader[] | undefined;
  readonly events: readonly EventType[];
  readonly status: SubscriptionStatus;
  readonly description?: string | undefined;
  readonly retry: RetrySettings;
  readonly createdById: Id<'account'>;
  /** Whether its creator may see recipients in full; then its deliveries contain them in full. */
  readonly unmasked: boolean;
  readonly consecutiveFailures: number;
  readonly lastSuccessAt?: number | undefined;
  readonly lastFailureAt?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Until when some worker's attempt at the slow endpoint may be waiting for a response (ms). */
  readonly slowUntil?: number | undefined;
  /** When its backlog is drained next (ms); absent when that is empty. */
  readonly drainAt?: number | undefined;
}

/** An event on its way to one subscription. Times are ms. */
export interface Delivery {
  readonly id: Id<'delivery'>;
  readonly webhookId: Id<'webhook'>;
  readonly organizationId: Id<'organization'>;
  readonly eventId: Id<'event'>;
  readonly type: string;
  /** Absent on validation and test events. */
  readonly sequence?: number | undefined;
  readonly status: DeliveryStatus;
  /** Attempts of the current round: a replay starts a new one. */
  readonly attempts: number;
  /** Attempts of all rounds: the number of the last attempt's row. */
  readonly attemptCount: number;
  /** When the current round began. */
  readonly firstAt?: number | undefined;
  readonly nextAttemptAt?: number | undefined;
  readonly createdAt: number;
  /** The priority of its event; absent: normal. */
  readonly priority?: Priority | undefined;
  /** True while it waits in its endpoint's backlog. */
  readonly inBacklog?: true;
}
