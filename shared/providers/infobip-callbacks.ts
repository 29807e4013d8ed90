import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { definedFields, definedTimes } from '../domain/core/patch.ts';
import type {
  CallbackReading,
  CallbackRequest,
  ProviderReceipt,
  ReceiptEvent,
} from '../domain/message/provider-port.ts';
import { e164Of } from './e164.ts';
import { type EntryEvents, eachOf, readingOf } from './entries.ts';
import { parseJson, sameSecret } from './http.ts';
import {
  INFOBIP_DUPLICATE_ID,
  INFOBIP_ERROR_REASONS,
  INFOBIP_GROUP,
  INFOBIP_REJECTIONS,
  INFOBIP_REPORT_GROUPS,
  INFOBIP_REPORT_IDS,
} from './infobip-codes.ts';
import { textSetting } from './settings.ts';

/** HMAC algorithms that Infobip offers (Subscriptions API, HmacAlgorithm) except the two broken ones. */
const ALGORITHMS = {
  HMAC_SHA_224: 'sha224',
  HMAC_SHA_256: 'sha256',
  HMAC_SHA_384: 'sha384',
  HMAC_SHA_512: 'sha512',
} as const;

/** Maximum age of a signed timestamp, in seconds; the same as for our own webhooks. */
const MAX_AGE_SECONDS = 300;

/**
 * How Infobip authenticates a webhook: the subscription's notification profile refers to security settings of type BASIC, HMAC or OAUTH
 * (Subscriptions API, POST /subscriptions/1/security); mutual TLS exists as well. OAuth and mutual TLS are terminated before this code, so
 * only Basic and HMAC are supported here. Infobip enables none by default; we require one.
 */
export const infobipCallbackAuth = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('basic'),
    username: textSetting('The user name of the security settings.'),
    password: textSetting('Their password.'),
  }),
  z.strictObject({
    type: z.literal('hmac'),
    secretKey: textSetting('The secret key of the security settings.'),
    algorithm: z
      .enum(Object.keys(ALGORITHMS) as [keyof typeof ALGORITHMS])
      .default('HMAC_SHA_256')
      .describe('Their algorithm, in the words of the Subscriptions API.'),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/)
      .transform((name) => name.toLowerCase())
      .describe(
        'The header with the signature. Its name is part of the configuration of the account (for example x-ib-exchange-req-signature), so there is no default.',
      ),
    timestampHeader: z
      .string()
      .regex(/^[A-Za-z0-9-]+$/)
      .transform((name) => name.toLowerCase())
      .optional()
      .describe(
        'The header of the timestamp (ms) that is signed before the body, if one is: x-ib-exchange-req-timestamp. Without it only the body is signed.',
      ),
  }),
]);
export type InfobipCallbackAuth = z.infer<typeof infobipCallbackAuth>;
/** The subset of the settings of SMS and RCS that verifies callbacks. */
export const infobipCallbackSettings = z.object({ callbackAuth: infobipCallbackAuth });

/** Signature of a callback: hex HMAC of the exact body, prefixed with the timestamp if one is signed. */
export const infobipSignature = (
  auth: Extract<InfobipCallbackAuth, { type: 'hmac' }>,
  body: string,
  timestamp = '',
): string =>
  createHmac(ALGORITHMS[auth.algorithm], auth.secretKey)
    .update(timestamp + body)
    .digest('hex');

const isProven = (auth: InfobipCallbackAuth, now: number, { headers, body }: CallbackRequest): boolean => {
  if (auth.type === 'basic') {
    const expected = `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}`;
    return sameSecret(headers.authorization ?? '', expected);
  }
  const given = headers[auth.header];
  const timestamp = auth.timestampHeader ? headers[auth.timestampHeader] : '';
  if (!given || timestamp === undefined) return false;
  if (auth.timestampHeader && !(Math.abs(now - Number(timestamp)) <= MAX_AGE_SECONDS * 1000)) return false;
  const hexadecimal = infobipSignature(auth, body, timestamp);
  const encodings = [hexadecimal, Buffer.from(hexadecimal, 'hex').toString('base64')];
  return encodings.some((expected) => sameSecret(given, expected));
};

/** A delivery report of SMS or RCS (docs/api). `channel` is present only if a failover was configured. */
export const infobipReport = z.object({
  messageId: z.string().min(1),
  to: z.string().min(1),
  status: z.object({ groupId: z.number(), id: z.number(), name: z.string(), description: z.string().optional() }),
  error: z.object({ name: z.string() }).optional(),
  doneAt: z.string().optional(),
  messageCount: z.number().optional(),
  channel: z.string().optional(),
});
export type InfobipReport = z.infer<typeof infobipReport>;

/** Parses an Infobip timestamp to ms. Infobip writes `+0100`, which `Date.parse` does not accept. */
export const infobipInstant = (text: string | undefined): number | undefined => {
  const at = Date.parse((text ?? '').replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(at) ? undefined : at;
};

/** Converts a report into a receipt; undefined if it does not change the message's status. */
export const infobipReceipt = (entry: InfobipReport): (ReceiptEvent & { receipt: ProviderReceipt }) | undefined => {
  const { status, error, messageId, doneAt } = entry;
  const byId = INFOBIP_REPORT_IDS[status.id];
  const meaning = byId === undefined ? INFOBIP_REPORT_GROUPS[status.groupId] : byId;
  if (!meaning) return undefined;
  const lost = meaning.status === 'failed' || meaning.status === 'undelivered';
  const reason = INFOBIP_ERROR_REASONS[error?.name ?? ''] ?? INFOBIP_REJECTIONS[status.id]?.reason ?? meaning.reason;
  const at = infobipInstant(doneAt);
  return {
    kind: 'receipt',
    messageId,
    providerMessageId: messageId,
    status: meaning.status,
    ...(lost && reason ? { reason } : {}),
    ...(status.groupId === INFOBIP_GROUP.rejected && status.id !== INFOBIP_DUPLICATE_ID ? { refused: true } : {}),
    ...(at === undefined ? {} : { at }),
    receipt: {
      id: messageId,
      type: 'api_message',
      to: e164Of(entry.to),
      reference: messageId,
      status: status.name,
      statusDescription: [status.description, error?.name].filter(Boolean).join('; ') || status.name,
      ...definedTimes({ received: at }),
      ...definedFields({ bill_factor: entry.messageCount }),
      channel: 'SMS',
    },
  };
};

/**
 * Verifies an Infobip callback and converts every entry of its `results`. The channel supplies the schema of an entry, which has
 * at most one event. An unreadable one is counted without affecting the others; if all are, the callback is not in Infobip's format.
 */
export const readInfobipCallback = <Entry>(
  auth: InfobipCallbackAuth,
  now: number,
  request: CallbackRequest,
  entry: z.ZodType<Entry>,
  eventsOf: (found: Entry) => EntryEvents,
): CallbackReading => {
  if (!isProven(auth, now, request))
    return { kind: 'forged', detail: `infobip: the callback is not proven by ${auth.type}` };
  const results = parseJson(z.object({ results: z.array(z.unknown()) }), request.body)?.results;
  const found = eachOf(entry, results, eventsOf);
  const isReadable = found.length < (results?.length ?? 0) || found.some((event) => event !== undefined);
  if (!results || (results.length > 0 && !isReadable))
    return { kind: 'malformed', detail: 'infobip: neither reports nor inbound messages' };
  return readingOf(found);
};
