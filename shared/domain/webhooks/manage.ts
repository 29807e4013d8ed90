import { type AuditDetails, auditEntry, fieldNames } from '../audit/entry.ts';
import type { Actor } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { ID_PREFIXES, type Id, newId, parseId } from '../core/ids.ts';
import type { EventType } from '../events/catalogue.ts';
import { EVENT_EXAMPLES } from '../events/examples.ts';
import { retryFailed, triggerDrain } from './backlog.ts';
import { changed, invalid, type NewSubscription, requestFault, type SubscriptionChange } from './change.ts';
import { attemptHeaders, deliveryIdOf, envelopeOf } from './envelope.ts';
import { seesInFull } from './exchange.ts';
import { storedHeaders } from './header-values.ts';
import type { WebhookPorts } from './ports.ts';
import { DEFAULT_RETRY } from './schedule.ts';
import type { Delivery, Subscription } from './subscription.ts';

/** Timeout of the response to the validation event, in ms (docs/spec/webhooks.md#subscribing). */
const VALIDATION_MS = 5_000;
const HOUR_MS = 3_600_000;

type Verb = 'changed' | 'created' | 'deleted' | 'replayed' | 'secret_rotated';
/** The audit entry of a caller's action on a subscription. */
export const webhookEntry = (actor: Actor, id: Id<'webhook'>, verb: Verb, at: number, details: AuditDetails = {}) =>
  auditEntry(actor, { action: `webhook.${verb}`, object: id, at, details });

/** 404. */
export const absent = () => refuse('NOT_FOUND', 'There is no such subscription.');
/** 409. */
export const moved = () => refuse('CONFLICT', 'The subscription changed meanwhile, or is revoked.');

/** The creator: the account of a session; for a key, an account id with the same 21 characters. */
const creatorOf = (actor: Actor): Id<'account'> =>
  actor.accountId ?? parseId('account', `${ID_PREFIXES.account}_${actor.credentialId.slice(-21)}`);

/**
 * The URL must answer 200 to a signed webhook.validation event before it gets any other; 429 if the organization's
 * validation posts are used up.
 */
const validate = async (
  ports: WebhookPorts,
  subscription: Subscription,
): Promise<Refusal<'VALIDATION_ERROR' | 'RATE_LIMITED'> | undefined> => {
  const limited = await ports.drawValidation(subscription.organizationId);
  if (limited) return limited;
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
  const bad = requestFault(ports, request);
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
    headers: await storedHeaders(ports, { organizationId: actor.organizationId, id }, undefined, request.headers),
    events: [...new Set(request.events)],
    status: 'active',
    description: request.description,
    retry: request.retry ?? DEFAULT_RETRY,
    createdById: creatorOf(actor),
    unmasked: seesInFull(actor),
    consecutiveFailures: 0,
    createdAt: now,
    updatedAt: now,
  };
  const refused = await validate(ports, subscription);
  if (refused) return refused;
  const entry = webhookEntry(actor, id, 'created', now, { fields: fieldNames(request) });
  const outcome = await ports.subscriptions.create(subscription, entry);
  return outcome === 'created'
    ? { subscription, secret }
    : refuse('CONFLICT', 'The organization has reached its maximum of subscriptions.');
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
  const bad = requestFault(ports, change, before);
  if (bad) return bad;
  const after = await changed(ports, actor, before, change);
  const resumed = change.status === 'active' && before.status === 'paused';
  const moves = after.url !== before.url;
  const refused = moves ? await validate(ports, after) : undefined;
  if (refused) return refused;
  const entry = webhookEntry(actor, id, 'changed', after.updatedAt, { fields: fieldNames(change) });
  if (!(await ports.subscriptions.change(before, after, entry))) return moved();
  // The new URL has just responded, so failures of the old one no longer count.
  const recovered = moves && before.consecutiveFailures > 0 ? await noteRecovered(ports, after) : undefined;
  if (resumed || recovered) {
    await triggerDrain(ports, after);
    await retryFailed(ports, id);
  }
  return recovered ?? after;
};

/** Revokes a subscription: nothing more is delivered. A repeat finishes what an interrupted one left. */
export const revokeSubscription = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>) => {
  const before = await ports.subscriptions.read(actor.organizationId, id);
  if (!before) return absent();
  const now = ports.clock();
  await ports.subscriptions.revoke(before, now, webhookEntry(actor, id, 'deleted', now));
  await triggerDrain(ports, before);
  return undefined;
};

/**
 * Creates a new secret; the old one also signs until the overlap ends. 403 for a subscription that delivers recipients
 * in full, if the caller may not see them in full.
 */
export const rotateSecret = async (ports: WebhookPorts, actor: Actor, id: Id<'webhook'>, overlapHours: number) => {
  const before = await ports.subscriptions.read(actor.organizationId, id);
  if (!before) return absent();
  if (before.status === 'revoked') return moved();
  if (before.unmasked && !seesInFull(actor))
    return refuse(
      'FORBIDDEN',
      'The subscription delivers recipients in full: only a caller with pii:full rotates its secret.',
    );
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
  const entry = webhookEntry(actor, id, 'secret_rotated', now, { overlapHours });
  return (await ports.subscriptions.change(before, after, entry)) ? { subscription: after, secret } : moved();
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
  ports.enqueue([delivery]);
  return { ...delivery, summaries: [] };
};
