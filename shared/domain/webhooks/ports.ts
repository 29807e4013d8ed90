import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Delivery, DeliveryStatus, Subscription } from './subscription.ts';

/** What a list shows of an attempt. Times and durations in ms. */
export interface AttemptSummary {
  readonly at: number;
  readonly status?: number | undefined;
  readonly durationMs: number;
  readonly error?: string | undefined;
}
/** What went over the wire: it may show recipients and an endpoint's credentials in full, and an answer may repeat them. */
export interface Exchange {
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  readonly responseBody?: string | undefined;
}
/** One attempt as its owner reads it. */
export type Attempt = AttemptSummary & Exchange;
/** One attempt as it is kept for 30 days: its exchange sealed; absent where nothing was exchanged. */
export interface KeptAttempt extends AttemptSummary {
  readonly exchange?: string | undefined;
}

/** A delivery with what a list shows of its attempts, oldest first. */
export type StoredDelivery = Delivery & { readonly summaries: readonly AttemptSummary[] };

/** How an attempt left its delivery. */
export interface AttemptResult {
  readonly attempt: KeptAttempt;
  readonly status: DeliveryStatus;
  /** When it is tried again, in ms; absent when it is not. */
  readonly nextAttemptAt?: number | undefined;
}

/** What an attempt changes of its subscription's health. */
export interface Health {
  readonly status?: Subscription['status'];
  /** `another` adds one failure, whoever else counts at the same moment; `none` begins anew. */
  readonly failures?: 'another' | 'none';
  readonly lastSuccessAt?: number;
  readonly lastFailureAt?: number;
  /** With the status `revoked`: from then on its row is kept for as long as its deliveries, and then goes. */
  readonly revokedAt?: number;
}

export interface WebhookStore {
  create(subscription: Subscription): Promise<'created' | 'too_many'>;
  read(organizationId: Id<'organization'>, id: Id<'webhook'>): Promise<Subscription | undefined>;
  /** Those of deliveries, in their order, undefined where there is none; one whose row does not parse is rejected alone. */
  readAll(
    deliveries: readonly Pick<Delivery, 'organizationId' | 'webhookId'>[],
  ): Promise<readonly PromiseSettledResult<Subscription | undefined>[]>;
  /** All of an organization, newest first. */
  list(organizationId: Id<'organization'>): Promise<readonly Subscription[]>;
  /** Replaces what an operator may change, if the subscription is unchanged since `before` was read. */
  change(before: Subscription, after: Subscription): Promise<boolean>;
  /** Records a change of health; a subscription that was revoked meanwhile stays so. */
  noteHealth(organizationId: Id<'organization'>, id: Id<'webhook'>, health: Health): Promise<Subscription | undefined>;
  /** Records until when (ms) an attempt may be waiting for an answer that the endpoint has owed for long. */
  noteSlow(organizationId: Id<'organization'>, id: Id<'webhook'>, until: number): Promise<void>;
}

/** A delivery that waits for its first attempt. */
export type Waiting = Pick<Delivery, 'id' | 'eventId'>;

export interface DeliveryStore {
  /**
   * Gives events their sequences in the subscription, in the order given and without gaps, and makes them due, each once: a repeat
   * changes nothing. Those that nobody has tried yet, whoever made them; none new when the subscription is revoked. With `drainAt` (ms)
   * they join the endpoint's backlog instead, which is drained then at the latest.
   */
  fanOut(
    subscription: Subscription,
    events: readonly DomainEvent[],
    now: number,
    drainAt?: number,
  ): Promise<readonly Waiting[]>;
  /** A delivery outside of the sequence: an example that somebody asked for. */
  add(delivery: Delivery): Promise<void>;
  /**
   * Deliveries that may be tried at `now` (ms), in the ids' order, undefined where there is none, or it is not due, done, or another
   * worker's; one whose row does not parse is rejected alone.
   */
  readDue(ids: readonly Id<'delivery'>[], now: number): Promise<readonly PromiseSettledResult<Delivery | undefined>[]>;
  /** Claims a due delivery for this worker until `until` (ms). False when it is no longer due, or another worker's. */
  claim(delivery: Delivery, now: number, until: number): Promise<boolean>;
  /** Releases a claimed delivery untried, due at a moment (ms). */
  postpone(delivery: Delivery, at: number): Promise<void>;
  /** Makes waiting work due at a moment (ms), unless a worker has it. */
  advance(delivery: Delivery, at: number): Promise<void>;
  /** Records how a claimed delivery's attempt went. False when the claim was lost meanwhile. */
  record(delivery: Delivery, result: AttemptResult): Promise<boolean>;
  /** Begins a new round of attempts. */
  replay(delivery: Delivery, now: number): Promise<StoredDelivery | undefined>;
  read(deliveryId: Id<'delivery'>): Promise<StoredDelivery | undefined>;
  attempts(deliveryId: Id<'delivery'>): Promise<readonly KeptAttempt[]>;
  page(
    webhookId: Id<'webhook'>,
    filter: { status?: DeliveryStatus | undefined; from?: number; to?: number },
    page: { skip: number; limit: number },
  ): Promise<{ items: readonly StoredDelivery[]; total: number }>;
  /**
   * The newest `max` deliveries of a page's filter, without their total. Where matches may be rare, `maxSearched` bounds how many of the
   * subscription's deliveries are searched for them; all when absent.
   */
  newest(
    webhookId: Id<'webhook'>,
    filter: { status?: DeliveryStatus | undefined; from?: number; to?: number },
    max: number,
    maxSearched?: number,
  ): Promise<readonly StoredDelivery[]>;
  /**
   * Deliveries that follow a sequence, in order and without a gap; those that are no longer kept at `now` (ms) are no gap.
   */
  feed(webhookId: Id<'webhook'>, after: number, limit: number, now: number): Promise<readonly Delivery[]>;
}

/** A delivery in a backlog, and since when it may be tried (ms). */
export interface Waiter {
  readonly id: Id<'delivery'>;
  readonly since: number;
}

/** A worker's right to drain a backlog. */
export interface DrainLease {
  readonly subscription: Subscription;
  /** Until when the worker has it (ms): until then no other drain is due. */
  readonly until: number;
  /** When something was last parked there (ms). */
  readonly parkedAt: number;
}

/**
 * The backlogs of endpoints that are paused or throttled. A delivery in a backlog has no due time of its own: its subscription has one for
 * all of them, so that waiting costs nothing, however much waits and however long.
 */
export interface BacklogStore {
  /**
   * Puts a due delivery that nobody has claimed into its endpoint's backlog, which is drained at `drainAt` (ms) at the latest.
   */
  park(delivery: Delivery, now: number, drainAt: number): Promise<void>;
  /** Leases the drain of a backlog until `until` (ms); undefined when none is due, or another worker has it. */
  lease(
    subscription: Pick<Subscription, 'organizationId' | 'id'>,
    now: number,
    until: number,
  ): Promise<DrainLease | undefined>;
  /** The `max` deliveries that wait longest, oldest first. */
  oldest(webhookId: Id<'webhook'>, max: number): Promise<readonly Waiter[]>;
  /** Ends a drain; the next is due at a moment (ms). False when a drain was triggered meanwhile. */
  rescheduleDrain(lease: DrainLease, at: number): Promise<boolean>;
  /** Ends the drains of a backlog that is empty. False when something was parked meanwhile. */
  close(lease: DrainLease): Promise<boolean>;
  /** Makes a drain due at `now` (ms). False when nothing waits. */
  triggerDrain(subscription: Pick<Subscription, 'organizationId' | 'id'>, now: number): Promise<boolean>;
}

/** What became of a post. Any whole answer is `answered`, a redirect too: it is not followed, and its status says that it failed. */
export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Lower-case names; the first 64 headers or 8 KB, `retry-after` always among them. */
      readonly headers: Readonly<Record<string, string>>;
      /** At most 16 KB; what is no UTF-8 is replaced. */
      readonly body: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly error: string; readonly detail: string; readonly durationMs: number };

/** An event as it is stored; `published` once all of its deliveries exist. */
export interface StoredEvent {
  readonly event: DomainEvent;
  readonly published: boolean;
}

export interface EventStore {
  /** Events by their ids, in the ids' order, undefined where there is none; one whose row does not parse is rejected alone. */
  readAll(ids: readonly Id<'event'>[]): Promise<readonly PromiseSettledResult<StoredEvent | undefined>[]>;
  /** Keeps an event that is not to be fanned out: an example that somebody asked for. */
  keep(event: DomainEvent): Promise<void>;
  /** Marks events as published, and takes them out of the due index. A repeat changes no more than the moment. */
  markPublished(events: readonly DomainEvent[], now: number): Promise<void>;
}

export interface WebhookPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly subscriptions: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly backlog: BacklogStore;
  readonly events: EventStore;
  /** Posts to an endpoint; never throws. `timeoutMs` for the whole. */
  readonly post: (request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    timeoutMs: number;
    /** Called once where there is no whole answer after so long, in ms. */
    slow?: { afterMs: number; call: () => void };
  }) => Promise<PostOutcome>;
  /** What is wrong with an address; undefined when nothing is. */
  readonly checkEndpoint: (url: string) => string | undefined;
  readonly checkHeaders: (headers: readonly { key: string; value: string }[]) => string | undefined;
  readonly newSecret: () => string;
  /** The signature header of a body under all secrets. */
  readonly sign: (secrets: readonly string[], eventId: Id<'event'>, timestampSeconds: number, body: string) => string;
  readonly seal: (organizationId: Id<'organization'>, webhookId: Id<'webhook'>, secret: string) => Promise<string>;
  readonly open: (organizationId: Id<'organization'>, webhookId: Id<'webhook'>, sealed: string) => Promise<string>;
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
  /** The full recipient of a message's event, or the full sender of an inbound one's, for a subscription that may see it. */
  readonly recipient: (messageId: Id<'message'>) => Promise<string | undefined>;
  /** Enqueues deliveries, so that they are not first found by their due time. */
  readonly enqueue: (deliveryIds: readonly Id<'delivery'>[], delaySeconds?: number) => void;
  /** Enqueues the drain of a backlog, so that it is not first found by its due time. */
  readonly enqueueDrain: (subscription: Pick<Subscription, 'organizationId' | 'id'>, delaySeconds?: number) => void;
  readonly userAgent: string;
  readonly observe: {
    /** Events that were handed over, with how many deliveries each has that wait for their first attempt. */
    published(events: readonly { readonly event: DomainEvent; readonly deliveries: number }[]): void;
    attempted(
      outcome: string,
      ms: number,
      at: { organizationId: Id<'organization'>; webhookId: Id<'webhook'>; deliveryId: Id<'delivery'> },
    ): void;
  };
}
