import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { CallbackReading, CallbackRequest } from '../../domain/message/provider-port.ts';
import { type EntryEvents, eachOf, readingOf } from '../entries.ts';
import { parseJson, sameSecret } from '../http.ts';
import { textSetting } from '../settings.ts';

/** Webhook secrets: an app has one app secret, and a verify token for each of its webhook products. */
export const metaWebhookSettings = {
  appSecret: textSetting('The secret of the Meta app. Meta signs its callbacks with it.'),
  verifyToken: textSetting(
    'The verification token that was entered with the address of the callbacks. Choose it at random.',
  ),
};
interface WebhookSecrets {
  readonly appSecret: string;
  readonly verifyToken: string;
}

/**
 * X-Hub-Signature-256 of a body: `sha256=` and the lower-case hex HMAC-SHA256 of its exact bytes under the app secret
 * (developers.facebook.com/docs/graph-api/webhooks/getting-started, Validating Payloads).
 */
const metaSignature = (appSecret: string, body: string): string =>
  `sha256=${createHmac('sha256', appSecret).update(body, 'utf8').digest('hex')}`;

/** Challenges are numbers today; never echo anything that could be markup. */
const CHALLENGE = /^[\w-]{1,128}$/;

/** Answers a verification request (same page, Verification Requests); undefined if the verify token is not ours. */
export const answerMetaChallenge = (
  { verifyToken }: Pick<WebhookSecrets, 'verifyToken'>,
  query: Readonly<Record<string, string>>,
): string | undefined => {
  const challenge = query['hub.challenge'];
  const isOurToken = query['hub.mode'] === 'subscribe' && sameSecret(query['hub.verify_token'] ?? '', verifyToken);
  return isOurToken && challenge !== undefined && CHALLENGE.test(challenge) ? challenge : undefined;
};

/**
 * Verifies and converts a callback of one webhook object; `eventsOf` converts an entry. A callback contains entries of many kinds:
 * unprocessed fields are reported as `ignored`, and unreadable entries are counted without affecting the others.
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
  const envelope = parseJson(z.object({ object: z.literal(object), entry: z.array(z.unknown()) }), body);
  if (!envelope) return { kind: 'malformed', detail: `meta: no callback of ${object}` };
  return readingOf(eachOf(entry, envelope.entry, eventsOf));
};
