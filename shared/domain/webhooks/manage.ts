import type { Actor } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { ID_PREFIXES, type Id, newId, parseId } from '../core/ids.ts';
import type { Patch } from '../core/patch.ts';
import type { EventType } from '../events/catalogue.ts';
import { EVENT_EXAMPLES } from '../events/examples.ts';
import { retryFailed, triggerDrain } from './backlog.ts';
import { attemptHeaders, deliveryIdOf, envelopeOf } from './envelope.ts';
import { seesInFull } from './exchange.ts';
import type { WebhookPorts } from './ports.ts';
import { DEFAULT_RETRY, type RetrySettings } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

type Header = { readonly key: string; readonly value: string };
export interface NewSubscription {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description?: string | undefined;
  readonly headers?: readonly Header[] | undefined;
  readonly retry?: RetrySettings | undefined;
}
export interface SubscriptionChange extends Patch<NewSubscription, 'description' | 'headers'> {
  readonly status?: 'active' | 'paused' | undefined;
}

/** Timeout of the response to the validation event, in ms (docs/spec/webhooks.md#subscribing). */
const VALIDATION_MS = 5_000;
const HOUR_MS = 3_600_000;

/** 422 with the rule that a field breaks. */
export const invalid = (path: string, message: string) =>
  refuse('VALIDATION_ERROR', { detail: 'The body breaks the contract.', errors: [{ path, message }] });
/** 404. */
export const absent = () => refuse('NOT_FOUND', 'There is no such subscription.');
/** 409. */
export const moved = () => refuse('CONFLICT', 'The subscription changed meanwhile, or is revoked.');

/** The creator: the account of a session; for a key, an account id with the same 21 characters. */
const creatorOf = (actor: Actor): Id<'account'> =>
  actor.accountId ?? parseId('account', `${ID_PREFIXES.account}_${actor.credentialId.slice(-21)}`);

const checked = (
  ports: WebhookPorts,
  { url, headers }: { url?: string | undefined; headers?: readonly Header[] | null | undefined },
): Refusal<'VALIDATION_ERROR'> | undefined => {
  const badUrl = url === undefined ? undefined : ports.checkEndpoint(url);
  if (badUrl) return invalid('url', badUrl);
  const badHeaders = headers ? ports.checkHeaders(headers) : undefined;
  return badHeaders ? invalid('headers', badHeaders) : undefined;
};

/** The URL must answer 200 to a signed webhook.validation event before it gets any other. */
const validate = async (
  ports: WebhookPorts,
  subscription: Subscription,
): Promise<Refusal<'VALIDATION_ERROR'> | undefined> => {
  const now = ports.clock();
  const event = {
    id: newId('event'),
    type: 'webhook.validation',
    organizationId: subscription.organizationId,
    env: subscription.env,
    createdAt: now,
    data: { webhookId: subscription.id },
  };
  const body = JSON.stringify(envelopeOf(event));
  const headers = await attemptHeaders(ports, subscription, event.id, now, body);
  const outcome = await ports.post({ url: subscription.url, headers, body, timeoutMs: VALIDATION_MS });
  if (outcome.kind === 'answered' && outcome.status === 200) return undefined;
  return invalid(
    'url',
    outcome.kind === 'answered'
      ? `must answer 200 to the validation event; it answered ${outcome.status}`
      : `must answer the validation event within 5 s: ${outcome.error}`,
  );
};

/** Creates a subscription, once its URL has answered the validation event. Only this response contains the secret. */
export const createSubscription = async (ports: WebhookPorts, actor: Actor, request: NewSubscription) => {
  const bad = checked(ports, request);
  if (bad) return bad;
  const now = ports.clock();
  const id = newId('webhook');
  const secret = ports.newSecret();
  const subscription: Subscription = {
    id,
    organizationId: actor.organizationId,
    env: actor.env,
    url: request.url,
    secrets: [{ version: 1, sealed: await ports.seal(actor.organizationId, id, secret) }],
    headers: request.headers,
    events: [...new Set(request.events)],
    status: 'active',
    description: request.description,
    retry: request.retry ?? DEFAULT_RETRY,
    createdById: creatorOf(actor),
    unmasked: seesInFull(actor),
    sequence: 0,
    consecutiveFailures: 0,
    createdAt: now,
    updatedAt: now,
  };
  const refused = await validate(ports, subscription);
  if (refused) return refused;
  const outcome = await ports.subscriptions.create(subscription);
  return outcome === 'created'
    ? { subscription, secret }
    : refuse('CONFLICT', 'The organization has as many subscriptions as it may have.');
};

/** A subscription of the caller's organization, including revoked ones. */
export const findSubscription = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>) =>
  (await ports.subscriptions.read(actor.organizationId, id)) ?? absent();

/** The caller's subscriptions, filtered by status and event if given, with the total of all matches. */
export const listSubscriptions = async (
  ports: WebhookPorts,
  { organizationId }: Actor,
  request: { status?: Subscription['status'] | undefined; event?: EventType | undefined; limit: number; skip: number },
) => {
  const { status, event, limit, skip } = request;
  const all = await ports.subscriptions.list(organizationId);
  const found = all.filter((each) => (!status || each.status === status) && (!event || each.events.includes(event)));
  return { items: found.slice(skip, skip + limit), total: found.length };
};

const noteRecovered = (ports: WebhookPorts, { organizationId, id, status }: Subscription) =>
  ports.subscriptions.noteHealth(organizationId, id, {
    failures: 'none',
    ...(status === 'failing' ? { status: 'active' } : {}),
  });

/** Changes the given fields. A new URL is validated; the backlog of a resumed or recovered subscription is drained. */
export const changeSubscription = async (
  ports: WebhookPorts,
  actor: Actor,
  id: Id<'webhook'>,
  change: SubscriptionChange,
) => {
  const before = await ports.subscriptions.read(actor.organizationId, id);
  if (!before) return absent();
  if (before.status === 'revoked') return moved();
  const bad = checked(ports, change);
  if (bad) return bad;
  const resumed = change.status === 'active' && before.status === 'paused';
  const moves = change.url !== undefined && change.url !== before.url;
  const after: Subscription = {
    ...before,
    url: change.url ?? before.url,
    events: change.events ? [...new Set(change.events)] : before.events,
    description: change.description === undefined ? before.description : (change.description ?? undefined),
    headers: change.headers === undefined ? before.headers : (change.headers ?? undefined),
    retry: change.retry ?? before.retry,
    // A caller who may not see recipients in full cannot have them sent to a URL of their own either.
    unmasked: before.unmasked && (!moves || seesInFull(actor)),
    status:
      change.status === undefined || (change.status === 'active' && before.status === 'failing')
        ? before.status
        : change.status,
    updatedAt: Math.max(ports.clock(), before.updatedAt + 1),
  };
  const refused = moves ? await validate(ports, after) : undefined;
  if (refused) return refused;
  if (!(await ports.subscriptions.change(before, after))) return moved();
  // The new URL has just responded: failures of the old one do not count against it.
  const recovered = moves && before.consecutiveFailures > 0 ? await noteRecovered(ports, after) : undefined;
  if (resumed || recovered) {
    await triggerDrain(ports, after);
    await retryFailed(ports, id);
  }
  return recovered ?? after;
};

/** Revokes a subscription: nothing more is delivered. Idempotent. */
export const revokeSubscription = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>) => {
  const before = await ports.subscriptions.read(actor.organizationId, id);
  if (!before) return absent();
  if (before.status === 'revoked') return undefined;
  await ports.subscriptions.noteHealth(actor.organizationId, id, { status: 'revoked', revokedAt: ports.clock() });
  await triggerDrain(ports, before);
  return undefined;
};

/** Creates a new secret; the old one also signs until the overlap ends. */
export const rotateSecret = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>, overlapHours: number) => {
  const before = await ports.subscriptions.read(actor.organizationId, id);
  if (!before) return absent();
  if (before.status === 'revoked') return moved();
  const now = ports.clock();
  const endsAt = now + overlapHours * HOUR_MS;
  const secret = ports.newSecret();
  const version = (before.secrets[0]?.version ?? 0) + 1;
  const old = before.secrets
    .map((each) => ({ ...each, endsAt: Math.min(each.endsAt ?? endsAt, endsAt) }))
    .filter((each) => each.endsAt > now);
  const after: Subscription = {
    ...before,
    secrets: [{ version, sealed: await ports.seal(actor.organizationId, id, secret) }, ...old.slice(0, 4)],
    updatedAt: Math.max(now, before.updatedAt + 1),
  };
  return (await ports.subscriptions.change(before, after)) ? { subscription: after, secret } : moved();
};

/** Sends the example of an event type: a delivery like any other, but without a sequence number. */
export const sendTest = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>, type: EventType) => {
  const subscription = await ports.subscriptions.read(actor.organizationId, id);
  if (!subscription) return absent();
  if (subscription.status === 'revoked') return moved();
  const now = ports.clock();
  const event = {
    id: newId('event'),
    type,
    organizationId: actor.organizationId,
    env: actor.env,
    createdAt: now,
    data: EVENT_EXAMPLES[type],
  };
  await ports.events.keep(event);
  const delivery: Delivery = {
    id: deliveryIdOf(id, event.id),
    webhookId: subscription.id,
    organizationId: actor.organizationId,
    eventId: event.id,
    type,
    status: 'pending',
    attempts: 0,
    attemptCount: 0,
    nextAttemptAt: now,
    createdAt: now,
  };
  await ports.deliveries.add(delivery);
  ports.enqueue([delivery.id]);
  return { ...delivery, summaries: [] };
};
