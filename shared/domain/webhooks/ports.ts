import type { DomainEvent } from '../events/event.ts';
import type { Clock } from '../time.ts';
import type { Delivery, DeliveryStatus, Subscription } from './subscription.ts';

/** One attempt as it is kept for 30 days. Times and durations in ms. */
export interface Attempt {
  readonly at: number;
  readonly status?: number | undefined;
  readonly durationMs: number;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: string;
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined;
  readonly responseBody?: string | undefined;
  readonly error?: string | undefined;
}
/** What a list shows of an attempt. */
export type AttemptSummary = Pick<Attempt, 'at' | 'status' | 'durationMs' | 'error'>;

/** A delivery with what a list shows of its attempts, oldest first. */
export type StoredDelivery = Delivery & { readonly summaries: readonly AttemptSummary[] };

/** How an attempt left its delivery. */
export interface AttemptResult {
  readonly attempt: Attempt;
  readonly status: DeliveryStatus;
  /** When it is tried again, in ms; absent when it is not. */
  readonly nextAttemptAt?: number | undefined;
}

/** How a subscription fares after an attempt; only what changes. */
export interface Health {
  readonly status?: Subscription['status'];
  readonly consecutiveFailures?: number;
  readonly lastSuccessAt?: number;
  readonly lastFailureAt?: number;
}

export interface WebhookStore {
  create(subscription: Subscription): Promise<'created' | 'too_many'>;
  read(organizationId: string, id: string): Promise<Subscription | undefined>;
  /** All of an organization, newest first. */
  list(organizationId: string): Promise<readonly Subscription[]>;
  /** Replaces what an operator may change, if it still stands as `before`. */
  change(before: Subscription, after: Subscription): Promise<boolean>;
  /** Notes how a subscription fares; a subscription that was revoked meanwhile stays so. */
  noteHealth(organizationId: string, id: string, health: Health): Promise<void>;
}

export interface DeliveryStore {
  /** Gives the event its sequence in the subscription and makes it due, once: a repeat changes nothing. Undefined when it was there or the subscription is revoked. */
  fanOut(subscription: Subscription, event: DomainEvent, now: number): Promise<Delivery | undefined>;
  /** A delivery outside of the sequence: an example that somebody asked for. */
  add(delivery: Delivery): Promise<void>;
  /** Takes a due delivery for this worker until `until` (ms). Undefined when it is not due, done, or another worker's. */
  claim(deliveryId: string, now: number, until: number): Promise<Delivery | undefined>;
  /** Gives a claimed delivery back untried, due at a moment (ms). */
  postpone(delivery: Delivery, at: number): Promise<void>;
  /** Makes waiting work due at a moment (ms), unless a worker has it. */
  advance(delivery: Delivery, at: number): Promise<void>;
  /** Writes down how a claimed delivery's attempt went. False when the claim was lost meanwhile. */
  record(delivery: Delivery, result: AttemptResult): Promise<boolean>;
  /** Begins a new round of attempts. */
  replay(delivery: Delivery, now: number): Promise<StoredDelivery | undefined>;
  read(deliveryId: string): Promise<StoredDelivery | undefined>;
  attempts(deliveryId: string): Promise<readonly Attempt[]>;
  page(
    webhookId: string,
    filter: { status?: DeliveryStatus | undefined; from?: number; to?: number },
    page: { skip: number; limit: number },
  ): Promise<{ items: readonly StoredDelivery[]; total: number }>;
  /** Deliveries that follow a sequence, in order and without a gap. */
  feed(webhookId: string, after: number, limit: number): Promise<readonly Delivery[]>;
}

export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly durationMs: number;
    }
  | { readonly kind: 'failed'; readonly error: string; readonly detail: string; readonly durationMs: number };

export interface WebhookPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly subscriptions: WebhookStore;
  readonly deliveries: DeliveryStore;
  readonly events: {
    read(id: string): Promise<DomainEvent | undefined>;
    /** Keeps an event that is not to be fanned out. */
    keep(event: DomainEvent): Promise<void>;
  };
  /** Posts to an endpoint; never throws. `timeoutMs` for the whole. */
  readonly post: (request: {
    url: string;
    headers: Readonly<Record<string, string>>;
    body: string;
    timeoutMs: number;
  }) => Promise<PostOutcome>;
  /** What is wrong with an address; undefined when nothing is. */
  readonly checkEndpoint: (url: string) => string | undefined;
  readonly checkHeaders: (headers: readonly { key: string; value: string }[]) => string | undefined;
  readonly newSecret: () => string;
  /** The signature header of a body under all secrets. */
  readonly sign: (secrets: readonly string[], id: string, timestampSeconds: number, body: string) => string;
  readonly seal: (organizationId: string, webhookId: string, secret: string) => Promise<string>;
  readonly open: (organizationId: string, webhookId: string, sealed: string) => Promise<string>;
  /** Seals and opens what an attempt keeps of a body: it may show recipients in full. */
  readonly sealBody: (organizationId: string, deliveryId: string, body: string) => Promise<string>;
  readonly openBody: (organizationId: string, deliveryId: string, sealed: string) => Promise<string>;
  /** The full recipient of a message's event, for a subscription that may see it. */
  readonly recipient: (messageId: string) => Promise<string | undefined>;
  /** Hands deliveries to their queue, early. */
  readonly hint: (deliveryIds: readonly string[], delaySeconds?: number) => void;
  readonly userAgent: string;
  readonly observe: {
    attempted(outcome: string, ms: number, at: { organizationId: string; webhookId: string; deliveryId: string }): void;
  };
}
