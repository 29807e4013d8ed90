import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { CallbackReading, CallbackRequest, ProviderEvent } from '../../domain/messages/provider.ts';
import { sameSecret } from '../http.ts';

/** How Meta proves itself to an address; one app has one secret, and each of its webhook products a verification token. */
export const metaWebhookSettings = {
  appSecret: z.string().min(1).describe('The secret of the Meta app. Meta signs its callbacks with it.'),
  verifyToken: z
    .string()
    .min(1)
    .describe('The verification token that was entered with the address of the callbacks. Choose it at random.'),
};
interface WebhookSecrets {
  readonly appSecret: string;
  readonly verifyToken: string;
}

/**
 * What X-Hub-Signature-256 carries for a body: `sha256=` and the HMAC-SHA256 of its exact bytes under the app's secret, in lower-case
 * hexadecimal (developers.facebook.com/docs/graph-api/webhooks/getting-started, Validating Payloads).
 */
export const metaSignature = (appSecret: string, body: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(body, 'utf8').digest('hex')}`;

/** A challenge is a number today; nothing that a page could be made of is ever repeated. */
const CHALLENGE = /^[\w-]{1,128}$/;

/** Answers the verification request of an address (same page, Verification Requests). Undefined without our token. */
export const answerMetaChallenge = (
  { verifyToken }: Pick<WebhookSecrets, 'verifyToken'>,
  query: Readonly<Record<string, string>>,
): string | undefined => {
  const challenge = query['hub.challenge'];
  const ours = query['hub.mode'] === 'subscribe' && sameSecret(query['hub.verify_token'] ?? '', verifyToken);
  return ours && challenge !== undefined && CHALLENGE.test(challenge) ? challenge : undefined;
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** A part of a callback that nobody reads here, by the platform's name for it. */
interface Ignored {
  readonly kind: 'ignored';
  readonly field: string;
}
/** A name of the platform's that may be logged; whatever has not the form of one could be anything. */
const FIELD = /^[a-z][a-z0-9_]{0,63}$/;
export const ignored = (field: string): Ignored => ({ kind: 'ignored', field: FIELD.test(field) ? field : 'unnamed' });

/** What one entry of a callback says; `undefined` stands for a part that has not the form that is documented. */
export type EntryEvents = readonly (ProviderEvent | Ignored | undefined)[];

/**
 * Reads a callback of one of Meta's objects. `entry` is the form of its entries, `eventsOf` what each says. One body holds entries
 * of many kinds: those that nobody reads here are named and left out, and one that cannot be read does not hold up the others.
 */
export const readMetaWebhook = <Entry>(
  { appSecret }: Pick<WebhookSecrets, 'appSecret'>,
  { headers, body }: CallbackRequest,
  object: string,
  entry: z.ZodType<Entry>,
  eventsOf: (entry: Entry) => EntryEvents,
): CallbackReading => {
  const signature = headers['x-hub-signature-256'];
  if (!signature) return { kind: 'forged', detail: 'meta: no signature' };
  if (!sameSecret(metaSignature(appSecret, body), signature))
    return { kind: 'forged', detail: 'meta: the signature is not ours' };
  const envelope = z.object({ object: z.literal(object), entry: z.array(z.unknown()) }).safeParse(parsed(body)).data;
  if (!envelope) return { kind: 'malformed', detail: `meta: no callback of ${object}` };
  const found = envelope.entry.flatMap((each): EntryEvents => {
    const read = entry.safeParse(each).data;
    return read ? eventsOf(read) : [undefined];
  });
  const events = found.filter((event): event is ProviderEvent => event !== undefined && event.kind !== 'ignored');
  const unread = found.filter((event) => event === undefined).length;
  const fields = [...new Set(found.flatMap((event) => (event?.kind === 'ignored' ? [event.field] : [])))];
  return {
    kind: 'events',
    events,
    ...(unread > 0 ? { unread } : {}),
    ...(fields.length > 0 ? { ignored: fields } : {}),
  };
};

/** Parses each of a list by itself, so that one of an unknown form costs itself alone. */
export const eachOf = <T>(
  schema: z.ZodType<T>,
  list: readonly unknown[] | undefined,
  eventsOf: (item: T) => EntryEvents,
): EntryEvents =>
  (list ?? []).flatMap((item) => {
    const read = schema.safeParse(item).data;
    return read === undefined ? [undefined] : eventsOf(read);
  });
