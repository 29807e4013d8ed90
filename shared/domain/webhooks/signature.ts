import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** Signatures of Standard Webhooks 1.0, symmetric scheme (github.com/standard-webhooks/standard-webhooks, spec). */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** The scheme allows keys of 192 to 512 bits. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
/** Cached keys: an HMAC with a KeyObject is several times faster than with bytes. */
const MAX_CACHED_KEYS = 10_000;

/** A new signing secret; its owner sees it once. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

const readKey = (secret: string): KeyObject => {
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  // Buffer decodes any text as base64: a damaged secret must not sign with an unknown key.
  const intact = secret.startsWith(PREFIX) && bytes.toString('base64') === text;
  if (!intact || bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) throw new RangeError('not a signing secret');
  return createSecretKey(bytes);
};

const cached = new Map<string, KeyObject>();

const keyOf = (secret: string): KeyObject => {
  const known = cached.get(secret);
  if (known) return known;
  const key = readKey(secret);
  if (cached.size >= MAX_CACHED_KEYS) cached.delete(cached.keys().next().value as string);
  cached.set(secret, key);
  return key;
};

/**
 * The signature header of a body: one signature per current secret, so that both verify during a rotation. Throws a RangeError for a damaged
 * secret, for an id with a dot and for a fractional time, with which `id.time.body` is ambiguous.
 */
export const sign = (secrets: readonly string[], id: string, timestampSeconds: number, body: string): string => {
  if (id === '' || id.includes('.') || !Number.isSafeInteger(timestampSeconds))
    throw new RangeError('the content to sign is ambiguous');
  if (secrets.length === 0) throw new RangeError('nothing to sign with');
  const before = `${id}.${timestampSeconds}.`;
  return secrets
    .map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(before).update(body).digest('base64')}`)
    .join(' ');
};
