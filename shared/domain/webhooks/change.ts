import type { Actor } from '../core/actor.ts';
import type { Refusal } from '../core/errors.ts';
import type { Patch } from '../core/patch.ts';
import { refuseField } from '../core/refuse-field.ts';
import type { EventType } from '../events/catalogue.ts';
import { seesInFull } from './exchange.ts';
import { changesHeaders, headersToCheck, keepsValues, storedHeaders } from './header-values.ts';
import type { CustomHeader } from './headers.ts';
import type { WebhookPorts } from './ports.ts';
import type { RetrySettings } from './schedule.ts';
import type { Subscription } from './subscription.ts';

export interface NewSubscription {
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description?: string | undefined;
  readonly headers?: readonly CustomHeader[] | undefined;
  readonly retry?: RetrySettings | undefined;
}
export interface SubscriptionChange extends Patch<NewSubscription, 'description' | 'headers'> {
  readonly status?: 'active' | 'paused' | undefined;
}

/** 422 with the field and the rule that it breaks. */
export const invalid = (path: string, message: string) => refuseField('The body violates the contract.', path, message);

/** 422 for an invalid URL or invalid headers; `before` is the subscription to change. */
export const requestFault = (
  ports: WebhookPorts,
  { url, headers }: Pick<SubscriptionChange, 'url' | 'headers'>,
  before?: Subscription,
): Refusal<'VALIDATION_ERROR'> | undefined => {
  const badUrl = url === undefined ? undefined : ports.checkEndpoint(url);
  if (badUrl) return invalid('url', badUrl);
  const badHeaders = headers ? ports.checkHeaders(headersToCheck(before?.headers, headers)) : undefined;
  if (badHeaders) return invalid('headers', badHeaders);
  const changesOrigin = before && url !== undefined && new URL(url).origin !== new URL(before.url).origin;
  return changesOrigin && keepsValues(before.headers, headers)
    ? invalid('headers', 'must have their values in clear, or be null: kept ones are not sent to another origin')
    : undefined;
};

const statusAfter = (before: Subscription, { status }: SubscriptionChange): Subscription['status'] =>
  status === undefined || (status === 'active' && before.status === 'failing') ? before.status : status;

/** The subscription with a caller's changes. */
export const changed = async (
  ports: WebhookPorts,
  actor: Actor,
  before: Subscription,
  change: SubscriptionChange,
): Promise<Subscription> => {
  const { url = before.url, events, description, headers, retry = before.retry } = change;
  const changesTarget = url !== before.url || changesHeaders(before.headers, headers);
  return {
    ...before,
    url,
    events: events ? [...new Set(events)] : before.events,
    description: description === undefined ? before.description : (description ?? undefined),
    headers: await storedHeaders(ports, before, before.headers, headers),
    retry,
    // A caller who may not see recipients in full must not redirect them to its own endpoint either.
    unmasked: before.unmasked && (!changesTarget || seesInFull(actor)),
    status: statusAfter(before, change),
    updatedAt: Math.max(ports.clock(), before.updatedAt + 1),
  };
};
