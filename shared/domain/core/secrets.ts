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

/** A new data key: 32 plaintext bytes, and the wrapped form for storage. */
export interface DataKey {
  readonly plaintext: Uint8Array;
  readonly wrapped: string;
}

/** Where the master key lives: KMS when deployed, a file locally. */
export interface KeyProvider {
  /** Generates a 32-byte key and its wrapped form. Throws Unavailable if the provider doesn't answer. */
  generate(): Promise<DataKey>;
  /** Unwraps a key to its 32 bytes. Throws if it was wrapped elsewhere or altered; Unavailable if the provider doesn't answer. */
  unwrap(wrapped: string): Promise<Uint8Array>;
}

/**
 * The root keys of a stage, each for one kind of data. A function opens those that its operations declare, and its role no others
 * (docs/spec/personal-data.md#root-keys). Part of where a key is stored: renaming one loses what it protects.
 */
export const ROOT_KEYS = [
  'archive',
  'callbacks',
  'contacts',
  'content',
  'cursors',
  'numbers',
  'people',
  'providers',
  'push',
  'recipients',
  'unsubscribe',
  'webhooks',
] as const;
export type RootKey = (typeof ROOT_KEYS)[number];

/** The encryption context of a wrapped root key: KMS binds the key to it, and a role's permission to unwrap it names it. */
export const rootKeyContext = (stage: string, name: RootKey) => ({ stage, rootKey: name });

/** Kinds of values that are blind-indexed. Part of the key derivation: renaming one changes every stored index. */
export type IndexedKind = 'phone' | 'email' | 'platform' | 'device' | 'gram' | 'ip';

/**
 * Encrypts, blind-indexes and signs with keys derived from one of a stage's root keys, one per purpose and scope. A scope is an
 * organization's id, or any other text for data of the stage itself (docs/spec/personal-data.md#sealed-data).
 */
export interface Vault {
  /**
   * A deterministic token that stands for a recipient in table keys: HMAC-SHA256, base64url, 43 characters. Case-insensitive for e-mail
   * addresses. Differs between scopes and stages.
   */
  blindIndex(scope: string, kind: IndexedKind, value: string): string;
  /** Encrypts a text, bound to a purpose, scope and location (`aad`, e.g. the contact's id and the field's name). */
  seal(purpose: string, scope: string, plaintext: string, aad: string): string;
  /** Decrypts a sealed text. Throws BrokenSeal if bytes, purpose, scope or location differ from `seal`. */
  open(purpose: string, scope: string, sealed: string, aad: string): string;
  /** HMAC-SHA256 with the purpose's key, base64url. */
  sign(purpose: string, text: string): string;
  /** Verifies a signature in constant time. */
  verify(purpose: string, text: string, signature: string): boolean;
}

/** Sealed data cannot be decrypted: altered, moved to another row or field, or sealed under another root key. */
export class BrokenSeal extends Error {
  override readonly name = 'BrokenSeal';
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
/** Envelope format: version byte, nonce, ciphertext, tag. */
const VERSION = 1;
const OVERHEAD = 1 + NONCE_BYTES + TAG_BYTES;
const CIPHER = 'aes-256-gcm';
/** Cached derived keys. An HMAC over a KeyObject is five times faster than over raw bytes, and a derivation costs two HMACs. */
const MAX_CACHED_KEYS = 10_000;

/** Serializes texts unambiguously: no other list gives the same result. */
const serializeParts = (...parts: readonly string[]): string => JSON.stringify(parts);

/** Derives keys from the root by HKDF-SHA256 (RFC 5869), with a cache of the most recent. */
const keyRing = (root: KeyObject): ((...path: readonly string[]) => KeyObject) => {
  const cache = new Map<string, KeyObject>();
  return (...path) => {
    const info = serializeParts(...path);
    const found = cache.get(info);
    if (found) return found;
    const key = createSecretKey(Buffer.from(hkdfSync('sha256', root, '', info, KEY_BYTES)));
    if (cache.size >= MAX_CACHED_KEYS) cache.delete(cache.keys().next().value as string);
    cache.set(info, key);
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

/** A vault for a root key of 32 bytes, which the caller may wipe afterwards. Throws a RangeError for any other length. */
export const createVault = (rootKey: Uint8Array): Vault => {
  if (rootKey.byteLength !== KEY_BYTES) throw new RangeError('the root key must be 32 bytes');
  const key = keyRing(createSecretKey(Buffer.from(rootKey)));
  // The version is authenticated too, so an envelope of a later version cannot be read as this one.
  const bound = (purpose: string, scope: string, aad: string) => serializeParts(`v${VERSION}`, purpose, scope, aad);
  return {
    blindIndex: (scope, kind, value) =>
      hmac(key('blind-index', kind, scope), kind === 'email' ? value.normalize('NFC').toLowerCase() : value).toString(
        'base64url',
      ),
    seal: (purpose, scope, plaintext, aad) =>
      encrypt(key('seal', purpose, scope), plaintext, bound(purpose, scope, aad)),
    open: (purpose, scope, sealed, aad) => decrypt(key('seal', purpose, scope), sealed, bound(purpose, scope, aad)),
    sign: (purpose, text) => hmac(key('sign', purpose), text).toString('base64url'),
    verify: (purpose, text, signature) => {
      const expected = hmac(key('sign', purpose), text);
      const given = Buffer.from(signature, 'base64url');
      // Base64 has several spellings of the same bytes; only the canonical one is accepted.
      return (
        given.length === expected.length &&
        timingSafeEqual(given, expected) &&
        given.toString('base64url') === signature
      );
    },
  };
};
