import type { KMSClient } from '@aws-sdk/client-kms';
import { Unavailable } from '../../domain/core/errors.ts';
import type { KeyProvider } from '../../domain/core/secrets.ts';

export interface KmsKeySettings {
  /** The key's id or ARN. Not an alias: after it moves to another key, keys wrapped before could not be unwrapped. */
  readonly keyId: string;
  /**
   * Encryption context, bound to every wrapped key and visible in CloudTrail: use names only, for example `{ stage: 'live', purpose:
   * 'root-key' }`.
   */
  readonly context: Readonly<Record<string, string>>;
  /** Instead of the region's endpoint: a VPC endpoint or a stand-in. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** For one attempt, in ms; up to three are made. */
  readonly timeoutMs?: number;
}

/** Prefix of every wrapped key; distinguishes a key of another provider from a corrupted one. */
const PREFIX = 'kms.v1.';
const KEY_BYTES = 32;
const TIMEOUT_MS = 2_000;
/** Errors that a retry may resolve (KMS API reference, common errors); any other is a fault of the setup or of the key. */
const TRANSIENT_ERRORS = new Set([
  'DependencyTimeoutException',
  'KMSInternalException',
  'KeyUnavailableException',
  'LimitExceededException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ThrottlingException',
  'TimeoutError',
]);

const isTransient = (fault: unknown): boolean => {
  if (!(fault instanceof Error)) return false;
  const { $metadata: metadata, code } = fault as Error & { $metadata?: { httpStatusCode?: number }; code?: string };
  const status = metadata?.httpStatusCode;
  // Socket errors have a code (ECONNREFUSED) and no HTTP status.
  return (
    TRANSIENT_ERRORS.has(fault.name) ||
    (status ?? 0) >= 500 ||
    (status === undefined && typeof code === 'string' && code.startsWith('E'))
  );
};

const callKms = async <T>(call: Promise<T>): Promise<T> => {
  try {
    return await call;
  } catch (cause) {
    throw isTransient(cause) ? new Unavailable('KMS does not answer', { cause }) : cause;
  }
};

const keyBytes = (plaintext: Uint8Array | undefined): Uint8Array => {
  if (plaintext?.byteLength !== KEY_BYTES) throw new Error('KMS answered no 32-byte key');
  return plaintext;
};

/**
 * Wraps data keys with a KMS key. The SDK is loaded on first use, so that functions without secrets start faster. Throws `Unavailable` if
 * KMS does not answer.
 */
export const kmsKeyProvider = (settings: KmsKeySettings): KeyProvider => {
  const { keyId, context, endpoint, region, timeoutMs = TIMEOUT_MS } = settings;
  let client: KMSClient | undefined;
  const load = async () => {
    const kms = await import('@aws-sdk/client-kms');
    client ??= new kms.KMSClient({
      ...(endpoint ? { endpoint } : {}),
      ...(region ? { region } : {}),
      maxAttempts: 3,
      requestHandler: { connectionTimeout: timeoutMs, requestTimeout: timeoutMs, throwOnRequestTimeout: true },
    });
    return { kms, client };
  };
  const shared = { KeyId: keyId, EncryptionContext: { ...context } };
  return {
    generate: async () => {
      const { kms, client: ready } = await load();
      const answer = await callKms(ready.send(new kms.GenerateDataKeyCommand({ ...shared, KeySpec: 'AES_256' })));
      if (!answer.CiphertextBlob) throw new Error('KMS answered no wrapped key');
      return {
        plaintext: keyBytes(answer.Plaintext),
        wrapped: PREFIX + Buffer.from(answer.CiphertextBlob).toString('base64url'),
      };
    },
    unwrap: async (wrapped) => {
      if (!wrapped.startsWith(PREFIX)) throw new Error('no key wrapped by KMS');
      const { kms, client: ready } = await load();
      const blob = Buffer.from(wrapped.slice(PREFIX.length), 'base64url');
      const answer = await callKms(ready.send(new kms.DecryptCommand({ ...shared, CiphertextBlob: blob })));
      return keyBytes(answer.Plaintext);
    },
  };
};
