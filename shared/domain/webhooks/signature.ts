import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** Signatures of Standard Webhooks 1.0, symmetric scheme (github.com/standard-webhooks/standard-webhooks, spec). */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** The scheme allows keys of 192 to 512 bits. */
const MIN_BYTES = 24;
const MAX_BYTES = 64;
/** Keys that are cached: an HMAC takes a KeyObject several times faster than bytes. */
const MAX_CACHED_KEYS = 10_000;

/** A fresh signing secret, as its owner sees it once. */
export const newSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString('base64');

const readKey = (secret: string): KeyObject => {
  const text = secret.slice(PREFIX.length);
  const bytes = Buffer.from(text, 'base64');
  // Buffer reads any text as some base64: a damaged secret must not sign under a key that nobody has.
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
 * The signature header of a body: one signature per live secret, so that both verify while a rotation lasts. Throws a RangeError
 * when a secret is damaged, and when the id has a dot or the time a fraction, with which `id.time.body` has two readings.
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
