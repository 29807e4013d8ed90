import { createVerify, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { orUndefined } from '../domain/core/or-undefined.ts';
import type { CallbackReading, ProviderIo } from '../domain/message/provider-port.ts';
import { callProvider, type ProviderReply, parseJson } from './http.ts';

export interface SnsReceiver {
  /** Topics that are accepted: a valid signature only proves that some AWS account published the message. */
  readonly topicArns: readonly string[];
  /** Where certificates are fetched and subscriptions confirmed instead, after the documented URL was checked. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
}

/** A verified notification (`at` in ms), or another outcome of the delivery. */
export type SnsReading =
  | { readonly kind: 'notification'; readonly message: string; readonly at: number }
  | Exclude<CallbackReading, { kind: 'events' }>
  | { readonly kind: 'unsubscribed' };

const common = {
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Timestamp: z.string(),
  SignatureVersion: z.string(),
  Signature: z.string(),
  SigningCertURL: z.string(),
};
const handshake = { ...common, Token: z.string(), SubscribeURL: z.string() };
/** The three bodies of an HTTP delivery (https://docs.aws.amazon.com/sns/latest/dg/sns-message-and-json-formats.html). */
const envelope = z.discriminatedUnion('Type', [
  z.object({ Type: z.literal('Notification'), Subject: z.string().nullish(), ...common }),
  z.object({ Type: z.literal('SubscriptionConfirmation'), ...handshake }),
  z.object({ Type: z.literal('UnsubscribeConfirmation'), ...handshake }),
]);
type Envelope = z.infer<typeof envelope>;

/** The signed fields of each type, in order (sns-verify-signature-of-message-verify-message-signature.html). */
const SIGNED: Readonly<Record<Envelope['Type'], readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const ALGORITHMS: Readonly<Record<string, string>> = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' };

/** The string to sign: each name and value on a line of its own; Subject is left out if it is null. */
export const snsSignedText = (
  fields: Readonly<Record<string, unknown>> & { readonly Type: Envelope['Type'] },
): string =>
  SIGNED[fields.Type]
    .filter((name) => fields[name] !== undefined && fields[name] !== null)
    .map((name) => `${name}\n${String(fields[name])}\n`)
    .join('');

/** The URL if it is an HTTPS URL of the SNS of a topic's own region, on the default port and without credentials; otherwise undefined. */
const addressOfSns = (text: string, topicArn: string): URL | undefined => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return undefined;
  const [, partition, , region] = topicArn.split(':');
  const host = `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
  return url.hostname === host ? url : undefined;
};

/** Deliveries are retried for an hour at the most (https://docs.aws.amazon.com/sns/latest/dg/sns-message-delivery-retries.html). */
const MAX_AGE_MS = 3_600_000;
/** Whether a delivery was published within the last hour; up to an hour ahead, for clocks that differ. */
const isRecent = (timestamp: string, now: number): boolean => Math.abs(now - Date.parse(timestamp)) <= MAX_AGE_MS;

const get = (io: ProviderIo, { baseUrl, timeoutMs }: SnsReceiver, url: URL): Promise<ProviderReply> =>
  callProvider(io, {
    url: baseUrl ? new URL(url.pathname + url.search, baseUrl).href : url.href,
    method: 'GET',
    headers: {},
    timeoutMs,
  });

/** Cached without expiry: a new certificate gets a new URL. SNS uses a handful. */
const certificates = new Map<string, X509Certificate>();
const MAX_CERTIFICATES = 32;

type Certificate = X509Certificate | Extract<SnsReading, { kind: 'forged' | 'unverifiable' }>;

const certificateAt = async (io: ProviderIo, receiver: SnsReceiver, url: URL): Promise<Certificate> => {
  const key = `${receiver.baseUrl ?? ''} ${url.href}`;
  const cached = certificates.get(key);
  if (cached) return cached;
  const reply = await get(io, receiver, url);
  if (reply.kind !== 'answered' || reply.status >= 500)
    return { kind: 'unverifiable', detail: 'sns: the signing certificate cannot be fetched' };
  try {
    const certificate = new X509Certificate(reply.body);
    if (certificates.size >= MAX_CERTIFICATES) certificates.clear();
    certificates.set(key, certificate);
    return certificate;
  } catch {
    return { kind: 'forged', detail: 'sns: there is no certificate at the signing address' };
  }
};

const isValid = ({ validFrom, validTo }: X509Certificate, now: number): boolean =>
  Date.parse(validFrom) <= now && now <= Date.parse(validTo);

const isSigned = (message: Envelope, certificate: X509Certificate): boolean => {
  const algorithm = ALGORITHMS[message.SignatureVersion];
  if (!algorithm) return false;
  const verifier = createVerify(algorithm).update(snsSignedText(message));
  return orUndefined(() => verifier.verify(certificate.publicKey, message.Signature, 'base64')) ?? false;
};

const confirm = async (
  io: ProviderIo,
  receiver: SnsReceiver,
  message: { SubscribeURL: string; TopicArn: string },
): Promise<SnsReading> => {
  const url = addressOfSns(message.SubscribeURL, message.TopicArn);
  if (
    url?.searchParams.get('Action') !== 'ConfirmSubscription' ||
    url.searchParams.get('TopicArn') !== message.TopicArn
  ) {
    return { kind: 'forged', detail: 'sns: the confirmation leads elsewhere' };
  }
  const reply = await get(io, receiver, url);
  if (reply.kind === 'answered' && reply.status === 200) return { kind: 'confirmed' };
  return { kind: 'unverifiable', detail: 'sns: the subscription could not be confirmed' };
};

/**
 * Verifies an HTTPS delivery of SNS: a configured topic, a certificate from the SNS of its region, a signature of version 1 or 2, and a time
 * within the last hour. Confirms subscriptions. A replay within that hour changes nothing, because applying an event is idempotent.
 */
export const readSns = async (io: ProviderIo, receiver: SnsReceiver, body: string): Promise<SnsReading> => {
  const message = parseJson(envelope, body);
  if (!message) return { kind: 'malformed', detail: 'sns: no delivery of SNS' };
  if (!receiver.topicArns.includes(message.TopicArn)) return { kind: 'forged', detail: 'sns: not one of our topics' };
  const url = addressOfSns(message.SigningCertURL, message.TopicArn);
  if (!url?.pathname.endsWith('.pem')) return { kind: 'forged', detail: 'sns: the certificate is not from SNS' };
  const certificate = await certificateAt(io, receiver, url);
  if (!(certificate instanceof X509Certificate)) return certificate;
  if (!isValid(certificate, io.now()) || !isSigned(message, certificate))
    return { kind: 'forged', detail: 'sns: the signature is not of SNS' };
  if (!isRecent(message.Timestamp, io.now())) return { kind: 'forged', detail: 'sns: it is more than an hour old' };
  if (message.Type === 'SubscriptionConfirmation') return confirm(io, receiver, message);
  if (message.Type === 'UnsubscribeConfirmation') return { kind: 'unsubscribed' };
  return { kind: 'notification', message: message.Message, at: Date.parse(message.Timestamp) };
};
