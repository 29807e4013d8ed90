import { createHmac, timingSafeEqual } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { attemptHeaders } from '../../shared/domain/webhooks/envelope.ts';
import type { CustomHeader } from '../../shared/domain/webhooks/headers.ts';
import { newSecret, sign } from '../../shared/domain/webhooks/signature.ts';
import type { Subscription } from '../../shared/domain/webhooks/subscription.ts';

/** The reference vector that the libraries of Standard Webhooks share (their test suites, and Svix's before them). */
const REFERENCE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};

/**
 * By hand, with another implementation: `printf '%s' 'evt_1.1700000000.{"a":"ção"}' | openssl dgst -sha256 -mac HMAC
 * -macopt hexkey:000102…1f -binary | base64`, and the same for the key 1f1e1d…00.
 */
const BY_HAND = {
  secrets: ['whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=', 'whsec_Hx4dHBsaGRgXFhUUExIREA8ODQwLCgkIBwYFBAMCAQA='],
  id: 'evt_1',
  at: 1_700_000_000,
  body: '{"a":"ção"}',
  signatures: ['v1,F2xizbod6jSI1qx+FtBNNU0XwxhBapfP3OFGYY856f4=', 'v1,46O9n9t8J6nLzTWq93eBdw3Rtjl67YMeJ7ZbAG8Gf74='],
};

/** The verifier that receivers are documented to write (Standard Webhooks 1.0, verifying webhook authenticity). */
const verifies = (headers: Readonly<Record<string, string>>, body: string, secret: string, now: number): boolean => {
  const at = headers['webhook-timestamp'] ?? '';
  if (!(Math.abs(now - Number(at)) <= 300)) return false;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${at}.${body}`).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((entry) => {
    const [version, text = ''] = entry.split(',');
    const given = Buffer.from(text, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
};

const NOW = 1_800_000_000;
const BODY = '{"n":1}';
const EVENT = newId('event');
/** The headers of an attempt at `NOW`; nothing is really sealed. */
const signed = (secrets: readonly string[], headers?: readonly CustomHeader[]): Promise<Record<string, string>> => {
  const open = async (_: string, __: string, sealed: string) => sealed;
  const openHeader = async (_: string, __: string, ___: string, sealed: string) => sealed;
  const ports = { open, openHeader, sign, userAgent: 'product/1.0' };
  const sealed = secrets.map((secret, at) => ({ version: secrets.length - at, sealed: secret }));
  return attemptHeaders(ports, { secrets: sealed, headers } as unknown as Subscription, EVENT, NOW * 1000, BODY);
};

describe('a signature', () => {
  it('is that of the reference vector of Standard Webhooks', () => {
    const { secret, id, at, body, signature } = REFERENCE;
    expect(sign([secret], id, at, body)).toBe(signature);
  });
  it('is that of another implementation, one per secret in their order, over the UTF-8 of the body', () => {
    const { secrets, id, at, body, signatures } = BY_HAND;
    expect(sign(secrets, id, at, body)).toBe(signatures.join(' '));
    expect(sign(secrets.slice(1), id, at, body)).toBe(signatures[1]);
  });
  it('is the same from a cached key', () => {
    const { secret, id, at, body, signature } = REFERENCE;
    expect(Array.from({ length: 3 }, () => sign([secret], id, at, body))).toEqual(Array(3).fill(signature));
  });
  it.each([
    ['an id with a dot', 'evt.1', NOW],
    ['an empty id', '', NOW],
    ['a fraction of a second', 'evt_1', NOW + 0.5],
    ['no time', 'evt_1', Number.NaN],
  ])('is refused for %s, which would make the signed content ambiguous', (_, id, at) => {
    expect(() => sign([newSecret()], id, at, '{}')).toThrow(RangeError);
  });
  it.each([
    ['another prefix', newSecret().replace('whsec_', 'whsk_')],
    ['no prefix', newSecret().slice(6)],
    ['damaged base64', newSecret().replace(/.$/, '!')],
    ['16 bytes', `whsec_${Buffer.alloc(16).toString('base64')}`],
    ['65 bytes', `whsec_${Buffer.alloc(65).toString('base64')}`],
  ])('is refused under a secret with %s, and the error does not repeat the secret', (_, secret) => {
    expect(() => sign([secret], 'evt_1', NOW, '{}')).toThrow(/^not a signing secret$/);
  });
  it('is refused without a secret', () => {
    expect(() => sign([], 'evt_1', NOW, '{}')).toThrow(RangeError);
  });
});

it('a secret is 32 random bytes behind a prefix', () => {
  const secrets = new Set(Array.from({ length: 1_000 }, newSecret));
  expect(secrets.size).toBe(1_000);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  }
});

describe('headers of an attempt', () => {
  it('verify with the documented verifier, and nothing else does', async () => {
    const secret = newSecret();
    const headers = await signed([secret]);
    expect(verifies(headers, '{"n":1}', secret, NOW)).toBe(true);
    expect(verifies(headers, '{"n":2}', secret, NOW)).toBe(false);
    expect(verifies(headers, '{"n":1}', newSecret(), NOW)).toBe(false);
    expect(verifies({ ...headers, 'webhook-id': 'evt_2' }, '{"n":1}', secret, NOW)).toBe(false);
    expect(verifies({ ...headers, 'webhook-timestamp': String(NOW + 1) }, '{"n":1}', secret, NOW)).toBe(false);
  });
  it('verify under both secrets while a rotation lasts', async () => {
    const [before, after] = [newSecret(), newSecret()];
    const [both, one] = [await signed([after, before]), await signed([after])];
    expect([before, after].map((secret) => verifies(both, BODY, secret, NOW))).toEqual([true, true]);
    expect([before, after].map((secret) => verifies(one, BODY, secret, NOW))).toEqual([false, true]);
  });
  it('do not verify more than 300 s later, nor 300 s too early', async () => {
    const secret = newSecret();
    const headers = await signed([secret]);
    const at = (seconds: number) => verifies(headers, BODY, secret, NOW + seconds);
    expect([-301, -300, 0, 300, 301].map(at)).toEqual([false, true, true, true, false]);
  });
  it('are never replaced by headers of the subscription', async () => {
    const custom = ['Webhook-Id', 'WEBHOOK-SIGNATURE', 'webhook-extra', 'User-Agent', 'Content-Type', 'Host'].map(
      (key) => ({ key, value: 'x' }),
    );
    const own = [
      { key: 'Authorization', value: 'Bearer 1' },
      { key: '__proto__', value: 'x' },
    ];
    const headers = await signed([newSecret()], [...custom, ...own]);
    const names = [
      'authorization',
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-signature',
      'webhook-timestamp',
    ];
    expect(Object.keys(headers).sort()).toEqual(['__proto__', ...names].sort());
    expect(headers).toMatchObject({
      'webhook-id': EVENT,
      'webhook-timestamp': String(NOW),
      'user-agent': 'product/1.0',
      authorization: 'Bearer 1',
    });
  });
});
