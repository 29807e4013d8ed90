import type { KMSClient } from '@aws-sdk/client-kms';
import { Unavailable } from '../../domain/errors.ts';
import type { KeyProvider } from '../../domain/secrets.ts';

export interface KmsKeySettings {
  /** The key's id or ARN. With an alias, what was wrapped before it was moved to another key no longer unwraps. */
  readonly keyId: string;
  /** Bound to every wrapped key and shown in CloudTrail, so it holds names only: for example `{ stage: 'live', purpose: 'root-key' }`. */
  readonly context: Readonly<Record<string, string>>;
  /** Another address than the region's own, for stand-ins and VPC endpoints. */
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  /** For one answer of KMS, in ms; two more tries follow one that failed. */
  readonly timeoutMs?: number;
}

/** Begins every wrapped key, so that a key of another keeper is told from an altered one. */
const PREFIX = 'kms.v1.';
const KEY_BYTES = 32;
const TIMEOUT_MS = 2_000;
/** What a later try may heal (KMS API reference, common errors); everything else is a fault of the setup or of the key. */
const PASSING = new Set([
  'DependencyTimeoutException',
  'KMSInternalException',
  'KeyUnavailableException',
  'LimitExceededException',
  'RequestLimitExceeded',
  'ServiceUnavailable',
  'ThrottlingException',
  'TimeoutError',
]);

const isPassing = (fault: unknown): boolean => {
  if (!(fault instanceof Error)) return false;
  const { $metadata: metadata, code } = fault as Error & { $metadata?: { httpStatusCode?: number }; code?: string };
  const status = metadata?.httpStatusCode;
  // A socket's fault has a code (ECONNREFUSED) and no answer behind it.
  return (
    PASSING.has(fault.name) ||
    (status ?? 0) >= 500 ||
    (status === undefined && typeof code === 'string' && code.startsWith('E'))
  );
};

const asked = async <T>(call: Promise<T>): Promise<T> => {
  try {
    return await call;
  } catch (cause) {
    throw isPassing(cause) ? new Unavailable('KMS does not answer', { cause }) : cause;
  }
};

const keyBytes = (plaintext: Uint8Array | undefined): Uint8Array => {
  if (plaintext?.byteLength !== KEY_BYTES) throw new Error('KMS answered no 32-byte key');
  return plaintext;
};

/** Keeps data keys under a KMS key. The client is loaded at the first use: functions that hold no secret never pay for it. */
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
      const answer = await asked(ready.send(new kms.GenerateDataKeyCommand({ ...shared, KeySpec: 'AES_256' })));
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
      const answer = await asked(ready.send(new kms.DecryptCommand({ ...shared, CiphertextBlob: blob })));
      return keyBytes(answer.Plaintext);
    },
  };
};
