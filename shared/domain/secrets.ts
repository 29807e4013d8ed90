import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** A data key at its birth: the 32 plain bytes, and the wrapped text that may be stored. */
export interface DataKey {
  readonly plaintext: Uint8Array;
  readonly wrapped: string;
}

/** What keeps the master key: KMS in a stage, a file on one machine. */
export interface KeyProvider {
  /** A fresh 32-byte key and its wrapped form. Throws Unavailable when the keeper does not answer. */
  generate(): Promise<DataKey>;
  /** The 32 bytes of a wrapped key. Throws when it was wrapped elsewhere or altered, Unavailable when the keeper does not answer. */
  unwrap(wrapped: string): Promise<Uint8Array>;
}

/** What a blind index is made of. */
export type IndexedKind = 'phone' | 'email' | 'platform' | 'device';

/** Seals, finds and signs personal data under keys derived from a stage's root key, one per purpose and organization. */
export interface Vault {
  /**
   * The deterministic text that stands for a recipient in keys (interface 2.9, phoneHash): HMAC-SHA256, base64url, 43
   * characters. E-mail addresses are compared without case. Different in every organization and stage.
   */
  blindIndex(organizationId: string, kind: IndexedKind, value: string): string;
  /** Encrypts a text for one purpose, organization and place (`aad`, for example the contact's id and the field's name). */
  seal(purpose: string, organizationId: string, plaintext: string, aad: string): string;
  /** The text that `seal` was given. Throws BrokenSeal when anything differs: the bytes, the purpose, the organization or the place. */
  open(purpose: string, organizationId: string, sealed: string, aad: string): string;
  /** HMAC-SHA256 of a text under the purpose's key, base64url. */
  sign(purpose: string, text: string): string;
  /** Whether `signature` is that of the text; takes the same time wherever they differ. */
  verify(purpose: string, text: string, signature: string): boolean;
}

/** What is stored as sealed cannot be opened: altered, moved from its place, or sealed under another root key. */
export class BrokenSeal extends Error {
  override readonly name = 'BrokenSeal';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** The first byte of an envelope: version, then nonce, ciphertext and tag. */
const VERSION = 1;
const OVERHEAD = 1 + NONCE_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';
/** Derived keys kept at once; an HMAC takes a KeyObject five times faster than bytes, and a derivation costs two more. */
const KEPT_KEYS = 10_000;

/** Texts as one text that no other list of texts makes. */
const joined = (...parts: readonly string[]): string => JSON.stringify(parts);

/** Derives keys from the root by HKDF-SHA256 (RFC 5869) and keeps the most recent. */
const keyRing = (root: KeyObject): ((...path: readonly string[]) => KeyObject) => {
  const kept = new Map<string, KeyObject>();
  return (...path) => {
    const info = joined(...path);
    const found = kept.get(info);
    if (found) return found;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', root, '', info, KEY_BYTES)));
    if (kept.size >= KEPT_KEYS) kept.delete(kept.keys().next().value as string);
    kept.set(info, key);
    return key;
  };
};

const hmac = (key: KeyObject, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const encrypt = (key: KeyObject, plaintext: string, bound: string): string => {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(bound));
  const parts = [Buffer.of(VERSION), nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat(parts).toString('base64url');
};

const decrypt = (key: KeyObject, sealed: string, bound: string): string => {
  const bytes = Buffer.from(sealed, 'base64url');
  if (bytes.length < OVERHEAD || bytes[0] !== VERSION) throw new BrokenSeal('no envelope of this version');
  const nonce = bytes.subarray(1, 1 + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(bound))
    .setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(1 + NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  } catch (cause) {
    throw new BrokenSeal('the envelope does not open here', { cause });
  }
};

/** A vault over a stage's root key of 32 bytes, which the caller may wipe afterwards. Throws a RangeError on any other length. */
export const createVault = (rootKey: Uint8Array): Vault => {
  if (rootKey.byteLength !== KEY_BYTES) throw new RangeError('the root key must be 32 bytes');
  const key = keyRing(createSecretKey(Buffer.from(rootKey)));
  // The envelope's header is authenticated with the place, so that a later version cannot be read as this one.
  const bound = (purpose: string, organizationId: string, aad: string) =>
    joined(`v${VERSION}`, purpose, organizationId, aad);
  return {
    blindIndex: (organizationId, kind, value) =>
      hmac(
        key('blind-index', kind, organizationId),
        kind === 'email' ? value.normalize('NFC').toLowerCase() : value,
      ).toString('base64url'),
    seal: (purpose, organizationId, plaintext, aad) =>
      encrypt(key('seal', purpose, organizationId), plaintext, bound(purpose, organizationId, aad)),
    open: (purpose, organizationId, sealed, aad) =>
      decrypt(key('seal', purpose, organizationId), sealed, bound(purpose, organizationId, aad)),
    sign: (purpose, text) => hmac(key('sign', purpose), text).toString('base64url'),
    verify: (purpose, text, signature) => {
      const expected = hmac(key('sign', purpose), text);
      const given = Buffer.from(signature, 'base64url');
      // Garbage that decodes to the same bytes is refused too: one signature has one text.
      return (
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        given.toString('base64url') === signature
      );
    },
  };
};
