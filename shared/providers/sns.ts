import { createVerify, X509Certificate } from 'node:crypto';
import * as z from 'zod';
import type { CallbackReading, ProviderIo } from '../domain/messages/provider.ts';
import { callProvider, type ProviderReply, parseJson } from './http.ts';

/** What a receiver of SNS deliveries is set to. */
export interface SnsReceiver {
  /** The topics that may speak; a signature alone only proves that some AWS account published. */
  readonly topicArns: readonly string[];
  /** Another address to fetch certificates and confirm subscriptions at, after the documented one was checked. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
}

/** A notification whose signature was checked, or what the delivery turned out to be instead. */
export type SnsReading =
  | { readonly kind: 'notification'; readonly message: string; readonly at: number }
  | Exclude<CallbackReading, { kind: 'events' }>
  | { readonly kind: 'ended' };

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

/** What each type signs, in this order (sns-verify-signature-of-message-verify-message-signature.html). */
const SIGNED: Readonly<Record<Envelope['Type'], readonly string[]>> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const ALGORITHMS: Readonly<Record<string, string>> = { 1: 'RSA-SHA1', 2: 'RSA-SHA256' };

/** The text that SNS signs: names and values on lines of their own; a notification without a subject leaves both lines out. */
export const snsSignedText = (
  fields: Readonly<Record<string, unknown>> & { readonly Type: Envelope['Type'] },
): string =>
  SIGNED[fields.Type]
    .filter((name) => fields[name] !== undefined && fields[name] !== null)
    .map((name) => `${name}\n${String(fields[name])}\n`)
    .join('');

/** An address of SNS itself, or undefined: https, on a host of SNS, on the usual port, without credentials. */
const addressOfSns = (text: string): URL | undefined => {
  const url = URL.parse(text);
  if (url?.protocol !== 'https:' || url.port || url.username || url.password) return undefined;
  return /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/.test(url.hostname) ? url : undefined;
};

const get = (io: ProviderIo, { baseUrl, timeoutMs }: SnsReceiver, url: URL): Promise<ProviderReply> =>
  callProvider(io, {
    url: baseUrl ? new URL(url.pathname + url.search, baseUrl).href : url.href,
    method: 'GET',
    headers: {},
    timeoutMs,
  });

/** A certificate's name changes with its content, so that what was fetched once stays right; SNS uses a handful. */
const certificates = new Map<string, X509Certificate>();
const MOST_CERTIFICATES = 32;

type Certificate = X509Certificate | Extract<SnsReading, { kind: 'forged' | 'unverifiable' }>;

const certificateAt = async (io: ProviderIo, receiver: SnsReceiver, url: URL): Promise<Certificate> => {
  const key = `${receiver.baseUrl ?? ''} ${url.href}`;
  const held = certificates.get(key);
  if (held) return held;
  const reply = await get(io, receiver, url);
  if (reply.kind !== 'answered' || reply.status >= 500)
    return { kind: 'unverifiable', detail: 'sns: the signing certificate cannot be fetched' };
  try {
    const certificate = new X509Certificate(reply.body);
    if (certificates.size >= MOST_CERTIFICATES) certificates.clear();
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
  try {
    return createVerify(algorithm)
      .update(snsSignedText(message))
      .verify(certificate.publicKey, message.Signature, 'base64');
  } catch {
    return false;
  }
};

const confirm = async (
  io: ProviderIo,
  receiver: SnsReceiver,
  message: { SubscribeURL: string; TopicArn: string },
): Promise<SnsReading> => {
  const url = addressOfSns(message.SubscribeURL);
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
 * Checks an HTTPS delivery of SNS: a topic of ours, a certificate from SNS itself, a signature of version 1 or 2. It completes the
 * handshake of a subscription. A replay needs no guard of its own: a repeated event has no effect.
 */
export const readSns = async (io: ProviderIo, receiver: SnsReceiver, body: string): Promise<SnsReading> => {
  const message = parseJson(envelope, body);
  if (!message) return { kind: 'malformed', detail: 'sns: no delivery of SNS' };
  if (!receiver.topicArns.includes(message.TopicArn)) return { kind: 'forged', detail: 'sns: not one of our topics' };
  const url = addressOfSns(message.SigningCertURL);
  if (!url?.pathname.endsWith('.pem')) return { kind: 'forged', detail: 'sns: the certificate is not from SNS' };
  const certificate = await certificateAt(io, receiver, url);
  if (!(certificate instanceof X509Certificate)) return certificate;
  if (!isValid(certificate, io.now()) || !isSigned(message, certificate))
    return { kind: 'forged', detail: 'sns: the signature is not of SNS' };
  if (message.Type === 'SubscriptionConfirmation') return confirm(io, receiver, message);
  if (message.Type === 'UnsubscribeConfirmation') return { kind: 'ended' };
  const at = Date.parse(message.Timestamp);
  return { kind: 'notification', message: message.Message, at: Number.isNaN(at) ? io.now() : at };
};
