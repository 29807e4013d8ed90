import { createDecipheriv, createHmac, createPrivateKey, createPublicKey, diffieHellman } from 'node:crypto';

/** A browser's subscription: its private key, and what it gives to application servers, all in base64url. */
export interface BrowserKeys {
  readonly privateKey: string;
  readonly p256dh: string;
  readonly auth: string;
}

/** A point as the two coordinates of a JWK. */
const coordinates = (point: Buffer) => ({
  kty: 'EC',
  crv: 'P-256',
  x: point.toString('base64url', 1, 33),
  y: point.toString('base64url', 33, 65),
});

const hmac = (key: Buffer, ...parts: readonly Buffer[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHmac('sha256', key)).digest();

/** HKDF in its two steps (RFC 5869), for outputs of one hash at most. */
const hkdf = (salt: Buffer, secret: Buffer, info: Buffer, bytes: number): Buffer =>
  hmac(hmac(salt, secret), info, Buffer.of(1)).subarray(0, bytes);

/**
 * Opens a push message as a browser does: the header of RFC 8188, 2.1, the key of RFC 8291, 3.3 and 3.4, one record. Written from the
 * documents with other primitives than the product's code. Throws when anything is wrong.
 */
export const openPushMessage = (message: Buffer, { privateKey, p256dh, auth }: BrowserKeys): Buffer => {
  const salt = message.subarray(0, 16);
  const recordBytes = message.readUInt32BE(16);
  const sender = message.subarray(21, 21 + message.readUInt8(20));
  const record = message.subarray(21 + sender.length);
  if (sender.length !== 65 || record.length > recordBytes || recordBytes < 18) throw new RangeError('a bad header');
  const browser = Buffer.from(p256dh, 'base64url');
  const shared = diffieHellman({
    privateKey: createPrivateKey({ format: 'jwk', key: { ...coordinates(browser), d: privateKey } }),
    publicKey: createPublicKey({ format: 'jwk', key: coordinates(sender) }),
  });
  const context = Buffer.concat([Buffer.from('WebPush: info\0'), browser, sender]);
  const secret = hkdf(Buffer.from(auth, 'base64url'), shared, context, 32);
  const key = hkdf(salt, secret, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = hkdf(salt, secret, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new RangeError('not the last record');
  return padded.subarray(0, end);
};
