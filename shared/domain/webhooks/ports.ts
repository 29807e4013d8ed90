import type { AuditEntry } from '../audit/entry.ts';
import type { Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Delivery, DeliveryStatus, Subscription } from './subscription.ts';

/** An attempt as lists show it. Times and durations in ms. */
export interface AttemptSummary {
  readonly at: number;
  readonly status?: number | undefined;
  readonly durationMs: number;
  readonly error?: string | undefined;
}
/** Request and response of an attempt: they may contain full recipients and an endpoint's credentials. */
export interface Exchange {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  readonly responseBody?: string | undefined;
}
/** One attempt, for the subscription's owner. */
export type Attempt = AttemptSummary & Exchange;
/** A stored attempt, kept for 30 days: its exchange is sealed; absent when nothing was exchanged. */
export interface KeptAttempt extends AttemptSummary {
  readonly exchange?: string | undefined;
}

/** A delivery with summaries of its attempts, oldest first. */
export type StoredDelivery = Delivery & { readonly summaries: readonly AttemptSummary[] };

/** The effect of an attempt on its delivery. */
export interface AttemptResult {
  readonly attempt: KeptAttempt;
  readonly status: DeliveryStatus;
  /** The time of the next attempt, in ms; absent when there is none. */
  readonly nextAttemptAt?: number | undefined;
}

/** The effect of an attempt on its subscription's health. */
export interface Health {
  readonly status?: Subscription['status'];
  /** `another` adds one failure, also under concurrent updates; `none` resets the count. */
  readonly failures?: 'another' | 'none';
  readonly lastSuccessAt?: number;
  readonly lastFailureAt?: number;
  /** With the status `revoked`: from then on the row is kept as long as its deliveries, then it expires. */
  readonly revokedAt?: number;
}

export interface WebhookStore {
  create(subscription: Subscription, entry: AuditEntry): Promise<'created' | 'too_many'>;
  read(organizationId: Id<'organization'>, id: Id<'webhook'>): Promise<Subscription | undefined>;
  /** The subscriptions of deliveries, in their order; undefined for a missing one. One whose row does not parse is rejected alone. */
  readAll(
    deliveries: readonly Pick<Delivery, 'organizationId' | 'webhookId'>[],
  ): Promise<readonly PromiseSettledResult<Subscription | undefined>[]>;
  /** All subscriptions of an organization, newest first. */
  list(organizationId: Id<'organization'>): Promise<readonly Subscription[]>;
  /** Replaces the fields that an operator may change, if the subscription is unchanged since `before` was read. */
  change(before: Subscription, after: Subscription, entry: AuditEntry): Promise<boolean>;
  /** Revokes a subscription at `at` (ms), with the audit entry, and lets its log expire; only the latter if it is already revoked. */
  revoke(subscription: Subscription, at: number, entry: AuditEntry): Promise<void>;
  /** Records a change of health; a subscription that was revoked meanwhile stays revoked. */
  noteHealth(organizationId: Id<'organization'>, id: Id<'webhook'>, health: Health): Promise<Subscription | undefined>;
  /** Records until when (ms) an attempt at the slow endpoint may still be waiting for its response. */
  noteSlow(organizationId: Id<'organization'>, id: Id<'webhook'>, until: number): Promise<void>;
}

/** A delivery that a worker claimed, by the text of its claim. */
export type ClaimedDelivery = Delivery & { readonly claim: string };

/** An event of a subscription, with its sequence number. */
export interface FeedEntry {
  readonly eventId: Id<'event'>;
  readonly sequence: number;
}
/** Entries of a subscription's feed, in order, and the last assigned sequence number. */
export interface FeedPage {
  readonly entries: readonly FeedEntry[];
  readonly lastSequence: number;
}

/** The fields of a delivery that its work items need. */
export type QueuedDelivery = Pick<Delivery, 'id' | 'organizationId' | 'priority'>;

/** A delivery that waits for its first attempt. */
export type Waiting = QueuedDelivery & Pick<Delivery, 'eventId'>;

/** A due delivery. `claimedUntil`: another worker claimed it until then (ms), and may have crashed. */
export interface FoundDue {
  readonly delivery: Delivery;
  readonly claimedUntil?: number;
}

export interface DeliveryStore {
  /**
   * Assigns the events their sequence numbers in the subscription, in the given order and without gaps, and makes their
   * deliveries due, once: a repeat changes nothing. Returns the deliveries without an attempt, whoever created them.
   * With `drainAt` (ms) they join the endpoint's backlog instead, which is drained by then at the latest. Safe to call
   * concurrently from any number of processes.
   */
  fanOut(
    subscription: Subscription,
    events: readonly DomainEvent[],
    now: number,
    drainAt?: number,
  ): Promise<readonly Waiting[]>;
  /** Adds a delivery outside of the sequence: a requested test event. */
  add(delivery: Delivery): Promise<void>;
  /**
   * Deliveries that are due at `now` (ms), in the ids' order; undefined for one that is missing, not due, or done. One whose row does not parse is
   * rejected alone.
   */
  readDue(ids: readonly Id<'delivery'>[], now: number): Promise<readonly PromiseSettledResult<FoundDue | undefined>[]>;
  /** Claims a due delivery for this worker until `until` (ms). Undefined when it is no longer due, or claimed by another worker. */
  claim(delivery: Delivery, now: number, until: number): Promise<ClaimedDelivery | undefined>;
  /** Releases a claimed delivery without an attempt, due at a time (ms). */
  postpone(delivery: ClaimedDelivery, at: number): Promise<void>;
  /** Makes a waiting delivery due at a time (ms), unless a worker claimed it. */
  advance(delivery: Delivery, at: number): Promise<void>;
  /** Records the attempt of a claimed delivery. False when the claim was lost meanwhile. */
  record(delivery: ClaimedDelivery, result: AttemptResult): Promise<boolean>;
  /** Starts a new round of attempts, with the audit entry; undefined while a worker attempts the delivery. */
  replay(delivery: Delivery, now: number, entry?: AuditEntry): Promise<StoredDelivery | undefined>;
  read(deliveryId: Id<'delivery'>): Promise<StoredDelivery | undefined>;
  attempts(deliveryId: Id<'delivery'>): Promise<readonly KeptAttempt[]>;
  page(
    webhookId: Id<'webhook'>,
    filter: { status?: DeliveryStatus | undefined; from?: number; to?: number },
    page: { skip: number; limit: number },
  ): Promise<{ items: readonly StoredDelivery[]; total: number }>;
  /**
   * The newest `max` deliveries that match a page's filter, without their total. When matches may be rare, `maxSearched` bounds how many of the
   * subscription's deliveries are searched; all when absent.
   */
  newest(
    webhookId: Id<'webhook'>,
    filter: { status?: DeliveryStatus | undefined; from?: number; to?: number },
    max: number,
    maxSearched?: number,
  ): Promise<readonly StoredDelivery[]>;
  /** The events after a sequence number, at most `limit`, in order and without gaps from the oldest that is kept on. */
  feed(webhookId: Id<'webhook'>, after: number, limit: number): Promise<FeedPage>;
}

/** A delivery in a backlog, and the time from which it may be attempted (ms). */
export interface Waiter {
  readonly id: Id<'delivery'>;
  readonly since: number;
}

/** A worker's lease on draining a backlog. */
export interface DrainLease {
  readonly subscription: Subscription;
  /** End of the lease (ms): no other drain is due before. */
  readonly until: number;
  /** When a delivery last joined the backlog (ms). */
  readonly parkedAt: number;
}

/**
 * The backlogs of paused or throttled endpoints. A delivery in a backlog has no due time of its own: its subscription has one for all of them,
 * so that waiting costs nothing, however many wait and however long.
 */
export interface BacklogStore {
  /** Moves a due, unclaimed delivery to its endpoint's backlog, which is drained at `drainAt` (ms) at the latest. */
  add(delivery: Delivery, now: number, drainAt: number): Promise<void>;
  /** Leases the drain of a backlog until `until` (ms); undefined when none is due, or another worker holds it. */
  lease(
    subscription: Pick<Subscription, 'organizationId' | 'id'>,
    now: number,
    until: number,
  ): Promise<DrainLease | undefined>;
  /** The `max` deliveries that have waited longest, oldest first. */
  oldest(webhookId: Id<'webhook'>, max: number): Promise<readonly Waiter[]>;
  /** Ends a drain; the next is due at a time (ms). False if a drain was triggered meanwhile. */
  rescheduleDrain(lease: DrainLease, at: number): Promise<boolean>;
  /** Ends the drains of an empty backlog. False if a delivery joined it meanwhile. */
  close(lease: DrainLease): Promise<boolean>;
  /** Makes a drain that is due later due at a time (ms). False if it is due by then, or the backlog is empty. */
  hastenDrain(subscription: Pick<Subscription, 'organizationId' | 'id'>, at: number): Promise<boolean>;
  /** Makes a drain due at `now` (ms). False if the backlog is empty. */
  triggerDrain(subscription: Pick<Subscription, 'organizationId' | 'id'>, now: number): Promise<boolean>;
}

/** The result of a post. Any complete response is `answered`, including redirects, which are not followed and count as failures by their status. */
export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Lower-case names; the first 64 headers or 8 KB, always including `retry-after`. */
      readonly headers: Readonly<Record<string, string>>;
      /** At most 16 KB; invalid UTF-8 is replaced. */
      readonly body: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly error: string; readonly detail: string; readonly durationMs: number };

/** A stored event; `published` once all of its deliveries exist. */
export interface StoredEvent {
  readonly event: DomainEvent;
  readonly published: boolean;
}

export interface EventStore {
  /** Events in the ids' order; undefined for a missing one. One whose row does not parse is rejected alone. */
  readAll(ids: readonly Id<'event'>[]): Promise<readonly PromiseSettledResult<StoredEvent | undefined>[]>;
  /** Stores an event without fan-out: a requested test event. */
  keep(event: DomainEvent): Promise<void>;
  /** Marks events as published, and removes them from the due index. A repeat only changes the time. */
  markPublished(events: readonly DomainEvent[], now: number): Promise<void>;
}

export interface WebhookPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly subscriptions: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly backlog: BacklogStore;
  readonly events: EventStore;
  /** Posts to an endpoint; never throws. `timeoutMs` is for the whole exchange. */
  readonly post: (request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    timeoutMs: number;
    /** Called once if there is no complete response after `afterMs`. */
    slow?: { afterMs: number; call: () => void };
  }) => Promise<PostOutcome>;
  /** Draws one of the organization's validation posts; 429 when those of this minute are used up. */
  readonly drawValidation: (organizationId: Id<'organization'>) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
  /** The error in a URL; undefined if it is allowed. */
  readonly checkEndpoint: (url: string) => string | undefined;
  readonly checkHeaders: (headers: readonly { key: string; value: string }[]) => string | undefined;
  readonly newSecret: () => string;
  /** The signature header of a body, with all secrets. */
  readonly sign: (secrets: readonly string[], eventId: Id<'event'>, timestampSeconds: number, body: string) => string;
  readonly seal: (organizationId: Id<'organization'>, webhookId: Id<'webhook'>, secret: string) => Promise<string>;
  readonly open: (organizationId: Id<'organization'>, webhookId: Id<'webhook'>, sealed: string) => Promise<string>;
  /** Seals and opens the value of a subscription's header; `name` is in lower case. */
  readonly sealHeader: (
    organizationId: Id<'organization'>,
    webhookId: Id<'webhook'>,
    name: string,
    value: string,
  ) => Promise<string>;
  readonly openHeader: (
    organizationId: Id<'organization'>,
    webhookId: Id<'webhook'>,
    name: string,
    sealed: string,
  ) => Promise<string>;
  /** Seals and opens the exchange of an attempt. */
  readonly sealExchange: (
    organizationId: Id<'organization'>,
    deliveryId: Id<'delivery'>,
    exchange: Exchange,
  ) => Promise<string>;
  readonly openExchange: (
    organizationId: Id<'organization'>,
    deliveryId: Id<'delivery'>,
    sealed: string,
  ) => Promise<Exchange>;
  /** The full recipient of an organization's message, or the full sender of an inbound one, for a subscription that may see it. */
  readonly recipient: (organizationId: Id<'organization'>, messageId: Id<'message'>) => Promise<string | undefined>;
  /** The full phone of an organization's contact, for a subscription that may see it; undefined once it is erased. */
  readonly contactPhone: (organizationId: Id<'organization'>, contactId: Id<'contact'>) => Promise<string | undefined>;
  /** Enqueues deliveries early; otherwise they are found by their due time. */
  readonly enqueue: (deliveries: readonly QueuedDelivery[], delaySeconds?: number) => void;
  /** Enqueues the drain of a backlog early; otherwise it is found by its due time. */
  readonly enqueueDrain: (subscription: Pick<Subscription, 'organizationId' | 'id'>, delaySeconds?: number) => void;
  readonly userAgent: string;
  readonly observe: {
    /** Published events, each with the number of its deliveries that wait for their first attempt. */
    published(events: readonly { readonly event: DomainEvent; readonly deliveries: number }[]): void;
    attempted(
      outcome: string,
      ms: number,
      at: { organizationId: Id<'organization'>; webhookId: Id<'webhook'>; deliveryId: Id<'delivery'> },
    ): void;
  };
}
