import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { randomBase62 } from '../core/ids.ts';

/** The protocol's longest password: 47 bits of entropy, so that a fast hash could be broken within hours. */
const LENGTH = 8;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** About 30 ms of a processor: a bind is rare, and attempts are limited. */
const COST = { N: 16_384, r: 8, p: 1 };

const derive = (text: string, salt: Buffer): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, COST, (error, hash) => (error ? reject(error) : resolve(hash)));
  });

/** A new password, and its stored form: scrypt with a random salt, as `salt.hash` in base64url. */
export const newPassword = async (): Promise<{ readonly text: string; readonly hash: string }> => {
  const text = randomBase62(LENGTH);
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(text, salt);
  return { text, hash: `${salt.toString('base64url')}.${hash.toString('base64url')}` };
};

/** Whether a password matches a stored hash. In constant time once derived. */
export const isPassword = async (text: string, stored: string): Promise<boolean> => {
  const [salt = '', hash = ''] = stored.split('.');
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(text, Buffer.from(salt, 'base64url'));
  return expected.length === HASH_BYTES && timingSafeEqual(actual, expected);
};
