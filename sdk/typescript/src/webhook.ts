import type { CatalogueEvent } from './generated/events.gen.ts';
import type { EventEnvelope } from './generated/types.gen.ts';
import { MessagingError } from './problem.ts';

/** The event that an endpoint must answer with 200 before it is subscribed. */
export interface ValidationEvent extends Omit<EventEnvelope, 'type' | 'sequence'> {
  readonly type: 'webhook.validation';
}

/**
 * The body that is posted to an endpoint: `type` determines the shape of `data`. A newer service may send types and fields that this version does
 * not know: handle unknown types by default.
 */
export type WebhookEvent = CatalogueEvent | ValidationEvent;

/** Headers as a runtime gives them: `Headers`, or an object with names in any case. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The request to a webhook's endpoint, and the secrets to check it against. */
export interface WebhookRequest {
  /** The subscription's secret, `whsec_…`; while one is rotated, both. */
  readonly secret: string | readonly string[];
  readonly headers: HeadersLike;
  /** The body exactly as it was received: the signature covers its bytes. */
  readonly body: string | ArrayBuffer | Uint8Array;
  /** Seconds that the attempt's time may differ from now; 300 when absent. */
  readonly toleranceSeconds?: number;
  /** In ms since 1970; the current time when absent. */
  readonly now?: number;
}

/** A webhook that was not sent by the service, or not now: answer 400 and ignore its body. */
export class WebhookVerificationError extends MessagingError {
  override readonly name: string = 'WebhookVerificationError';
  readonly reason: 'headers' | 'timestamp' | 'signature' | 'body';

  constructor(reason: WebhookVerificationError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

const headerOf = (headers: HeadersLike, name: string): string => {
  const value =
    typeof headers.get === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('headers', `The header ${name} is missing.`);
};

const encoder = new TextEncoder();

const bytesOf = (body: WebhookRequest['body']): Uint8Array => {
  if (typeof body === 'string') return encoder.encode(body);
  return body instanceof Uint8Array ? body : new Uint8Array(body);
};

/** The bytes of a base64 text; undefined if it is none. */
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const keyOf = async (secret: string) => {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('A webhook secret is whsec_ and base64.');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};

/** The signatures of version 1: others are for receivers that know them. */
const signaturesOf = (header: string): Uint8Array<ArrayBuffer>[] =>
  header.split(' ').flatMap((entry) => (entry.startsWith('v1,') ? (fromBase64(entry.slice(3)) ?? []) : []));

const isSigned = async (
  secrets: readonly string[],
  signatures: Uint8Array<ArrayBuffer>[],
  signed: Uint8Array<ArrayBuffer>,
) => {
  for (const secret of secrets) {
    const key = await keyOf(secret);
    // `verify` compares in constant time.
    for (const signature of signatures) if (await crypto.subtle.verify('HMAC', key, signature, signed)) return true;
  }
  return false;
};

const concat = (...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/**
 * The event of a webhook, if the service signed it (Standard Webhooks 1.0) and sent it now. Throws a `WebhookVerificationError` otherwise, and a
 * `TypeError` for a secret that is none. The same `id` may come twice: process each once.
 */
export const verifyWebhook = async (request: WebhookRequest): Promise<WebhookEvent> => {
  const { secret, headers, toleranceSeconds = 300, now = Date.now() } = request;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = signaturesOf(headerOf(headers, 'webhook-signature'));
  const body = bytesOf(request.body);

  const signed = concat(encoder.encode(`${id}.${timestamp}.`), body);
  if (!(await isSigned(typeof secret === 'string' ? [secret] : secret, signatures, signed)))
    throw new WebhookVerificationError('signature', 'No signature is of this body and of one of these secrets.');
  if (!/^\d+$/.test(timestamp) || Math.abs(now / 1000 - Number(timestamp)) > toleranceSeconds)
    throw new WebhookVerificationError('timestamp', `The attempt is not of the last ${toleranceSeconds} s.`);
  try {
    return JSON.parse(new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookVerificationError('body', 'The body is no JSON.');
  }
};
