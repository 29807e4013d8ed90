import { createCipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';

/** A browser's side of a subscription, decoded: an uncompressed point on P-256 of 65 bytes, and a secret of 16 (RFC 8291, 3.1 and 3.2). */
export interface SubscriptionKeys {
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

const POINT_BYTES = 65;
const SECRET_BYTES = 16;
const SALT_BYTES = 16;
const TAG_BYTES = 16;
/** One record carries all of a message: push services take 4096 bytes at least, and promise no more (RFC 8291, 4; RFC 8030, 7.2). */
const RECORD_BYTES = 4096;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + POINT_BYTES;
/** Ends the last record's content; padding would follow (RFC 8188, 2). */
const DELIMITER = Buffer.of(2);

/** The longest content of a push message, in bytes: what of 4096 is neither header, delimiter nor tag. */
export const MOST_CONTENT_BYTES = RECORD_BYTES - HEADER_BYTES - DELIMITER.length - TAG_BYTES;

const derive = (secret: Uint8Array, salt: Uint8Array, info: Uint8Array, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
const labelled = (label: string, ...more: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from(`${label}\0`), ...more]);

const decoded = (text: string | undefined, bytes: number): Buffer | undefined => {
  if (text === undefined || !/^[A-Za-z0-9_-]+={0,2}$/.test(text)) return undefined;
  const buffer = Buffer.from(text, 'base64url');
  return buffer.length === bytes ? buffer : undefined;
};

/** The keys of a subscription out of their base64url, or undefined when they are none. The point is checked when it is used. */
export const readKeys = (p256dh: string | undefined, auth: string | undefined): SubscriptionKeys | undefined => {
  const point = decoded(p256dh, POINT_BYTES);
  const secret = decoded(auth, SECRET_BYTES);
  return point && secret ? { p256dh: point, auth: secret } : undefined;
};

/**
 * Encrypts one push message: RFC 8291, 3.4, over the `aes128gcm` coding of RFC 8188. `chance` is fresh for every message, and given
 * only to reproduce a known one. Undefined when the browser's key is no point on the curve.
 */
export const encryptWebPush = (
  content: Uint8Array,
  { p256dh, auth }: SubscriptionKeys,
  chance: { readonly salt: Uint8Array; readonly privateKey?: Uint8Array } = { salt: randomBytes(SALT_BYTES) },
): Buffer | undefined => {
  const ours = createECDH('prime256v1');
  if (chance.privateKey) ours.setPrivateKey(chance.privateKey);
  else ours.generateKeys();
  let shared: Buffer;
  try {
    shared = ours.computeSecret(p256dh);
  } catch {
    return undefined;
  }
  const point = ours.getPublicKey();
  const secret = derive(shared, auth, labelled('WebPush: info', p256dh, point), 32);
  const key = derive(secret, chance.salt, labelled('Content-Encoding: aes128gcm'), 16);
  const nonce = derive(secret, chance.salt, labelled('Content-Encoding: nonce'), 12);
  const cipher = createCipheriv('aes-128-gcm', key, nonce);
  const sizes = Buffer.alloc(5);
  sizes.writeUInt32BE(RECORD_BYTES, 0);
  sizes.writeUInt8(POINT_BYTES, 4);
  return Buffer.concat([
    chance.salt,
    sizes,
    point,
    cipher.update(content),
    cipher.update(DELIMITER),
    cipher.final(),
    cipher.getAuthTag(),
  ]);
};
