import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import { orUndefined } from '../../domain/core/or-undefined.ts';

/**
 * The browser's keys of a subscription: an uncompressed P-256 point (65 bytes) and an authentication secret (16 bytes) (RFC 8291, 3.1 and
 * 3.2).
 */
export interface SubscriptionKeys {
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

const POINT_BYTES = 65;
const SECRET_BYTES = 16;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** The whole message is one record: push services must accept 4096 bytes, and may refuse more (RFC 8291, 4; RFC 8030, 7.2). */
const RECORD_BYTES = 4096;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;
/** Marks the end of the last record's content; padding would follow it (RFC 8188, 2). */
const DELIMITER = Buffer.of(2);

/** Longest content of a push message, in bytes: a record without header, delimiter and tag. */
export const MAX_CONTENT_BYTES = RECORD_BYTES - HEADER_BYTES - DELIMITER.length - TAG_BYTES;

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
const labelled = (label: string, ...more: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from(`${label}\0`), ...more]);

const decoded = (text: string | undefined, bytes: number): Buffer | undefined => {
  if (text === undefined || !/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined;
  const buffer = Buffer.from(text, 'base64url');
  return buffer.length === bytes ? buffer : undefined;
};

/** Decodes a subscription's base64url keys; undefined if malformed. The point is validated when it is used. */
export const readKeys = (p256dh: string | undefined, auth: string | undefined): SubscriptionKeys | undefined => {
  const point = decoded(p256dh, POINT_BYTES);
  const secret = decoded(auth, SECRET_BYTES);
  return point && secret ? { p256dh: point, auth: secret } : undefined;
};

/**
 * Encrypts one push message (RFC 8291, 3.4) with the `aes128gcm` coding (RFC 8188). `randomness` must be fresh for every message; it is a
 * parameter to reproduce test vectors. Undefined if the browser's key is not a point on the curve.
 */
export const encryptWebPush = (
  content: Uint8Array,
  { p256dh, auth }: SubscriptionKeys,
  randomness: { readonly salt: Uint8Array; readonly privateKey?: Uint8Array } = { salt: randomBytes(SALT_BYTES) },
): Buffer | undefined => {
  const ephemeral = createECDH('prime256v1');
  if (randomness.privateKey) ephemeral.setPrivateKey(randomness.privateKey);
  else ephemeral.generateKeys();
  const shared = orUndefined(() => ephemeral.computeSecret(p256dh));
  if (!shared) return undefined;
  const point = ephemeral.getPublicKey();
  const secret = derive(shared, auth, labelled('WebPush: info', p256dh, point), 32);
  const key = derive(secret, randomness.salt, labelled('Content-Encoding: aes128gcm'), 16);
  const nonce = derive(secret, randomness.salt, labelled('Content-Encoding: nonce'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES, 0);
  sizes.writeUInt8(POINT_BYTES, 4);
  return Buffer.concat([
    randomness.salt,
    sizes,
    point,
    cipher.update(content),
    cipher.update(DELIMITER),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
};
