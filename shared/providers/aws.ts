import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import * as z from 'zod';
import type { ProviderAnswer, RefusalCause } from '../domain/message/provider-port.ts';
import { faultBeforeSending, refusal, retryAfterSeconds } from './http.ts';
import { dropIdleSockets } from './keep-alive.ts';
import { optionalTextSetting } from './settings.ts';

/** Settings of every AWS adapter. */
export const awsAccessSettings = {
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
  accessKeyId: optionalTextSetting(
    'An access key to send with; without it, the role of the function or the environment.',
  ),
  secretAccessKey: optionalTextSetting("The access key's secret."),
  timeoutMs: z.int().min(100).max(11_000).default(10_000).describe('How long AWS may take to answer, in ms.'),
};
/** Settings of every adapter that receives SNS notifications. */
export const snsSettings = {
  topicArns: z.array(z.string().regex(/^arn:aws[a-z-]*:sns:[^:]+:\d{12}:.+$/)).min(1),
  snsBaseUrl: z
    .url()
    .optional()
    .describe(
      'Another address than that of SNS to fetch signing certificates and confirm subscriptions at; the documented address is checked all the same.',
    ),
};

/** The subset of an adapter's settings that verifies SNS notifications; without an access key. */
export const snsReceiverSettings = z.object({ ...snsSettings, timeoutMs: awsAccessSettings.timeoutMs });
export type SnsReceiverSettings = z.infer<typeof snsReceiverSettings>;

interface AccessKey {
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}
/** True if both or neither of the two are set. */
export const hasCompleteAccessKey = ({ accessKeyId, secretAccessKey }: AccessKey): boolean =>
  (accessKeyId === undefined) === (secretAccessKey === undefined);
export const INCOMPLETE_ACCESS_KEY = 'accessKeyId and secretAccessKey go together';

/** The SDK's own defaults. */
const AGENT_OPTIONS = { keepAlive: true, maxSockets: 50 };

interface Access extends AccessKey {
  readonly region: string;
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
}

/** Client configuration of every AWS service that sends. */
export const awsClientConfig = ({ region, baseUrl, accessKeyId, secretAccessKey, timeoutMs }: Access) => ({
  region,
  ...(baseUrl ? { endpoint: baseUrl } : {}),
  ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  // Sends take no idempotency token: a retry by the SDK could send the message twice.
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    httpAgent: dropIdleSockets(new HttpAgent(AGENT_OPTIONS)),
    httpsAgent: dropIdleSockets(new HttpsAgent(AGENT_OPTIONS)),
  },
});

const MAX_CLIENTS = 8;
/**
 * Caches one SDK client per set of access settings: clients hold connections and credentials, while adapters are recreated every few
 * seconds.
 */
export const clientCache = <Client>() => {
  const clients = new Map<string, Client>();
  return (access: Access, make: (config: ReturnType<typeof awsClientConfig>) => Client): Client => {
    const { region, baseUrl, accessKeyId, secretAccessKey, timeoutMs } = access;
    const key = JSON.stringify([region, baseUrl, accessKeyId, secretAccessKey, timeoutMs]);
    const cached = clients.get(key);
    if (cached) return cached;
    const client = make(awsClientConfig(access));
    if (clients.size >= MAX_CLIENTS) clients.clear();
    clients.set(key, client);
    return client;
  };
};

/** Refusal causes by a service's errors. Errors that can occur after the message was sent must not be listed. */
export interface AwsErrorTable {
  readonly errors: Readonly<Record<string, RefusalCause>>;
  /** By an error's `Reason`; takes precedence over its name. */
  readonly reasons?: Readonly<Record<string, RefusalCause>>;
  /** By the invalid request parameter (lower-case name of the top-level field); takes precedence over the error's name. */
  readonly fields?: Readonly<Record<string, RefusalCause>>;
}

/** Common AWS errors, and the SDK's own CredentialsProviderError, after which nothing was certainly processed. */
const COMMON: Readonly<Record<string, RefusalCause>> = {
  AccessDeniedException: 'credentials',
  CredentialsProviderError: 'credentials',
  ExpiredTokenException: 'credentials',
  IncompleteSignature: 'credentials',
  InvalidClientTokenId: 'credentials',
  InvalidSignatureException: 'credentials',
  MissingAuthenticationToken: 'credentials',
  OptInRequired: 'credentials',
  RequestExpired: 'credentials',
  SignatureDoesNotMatch: 'credentials',
  ThrottlingException: 'throttled',
  UnknownOperationException: 'unavailable',
  UnrecognizedClientException: 'credentials',
};

const constant = z.string().regex(/^[A-Za-z0-9_]{1,80}$/);
/** The parts of an SDK error that are read. Its message is left out: it may contain request data and must not be logged. */
const awsError = z.object({
  name: constant,
  Reason: constant.optional().catch(undefined),
  Fields: z
    .array(z.object({ Name: z.string() }))
    .optional()
    .catch(undefined),
  $metadata: z.object({ httpStatusCode: z.number().optional() }).optional().catch(undefined),
  $response: z
    .object({ headers: z.record(z.string(), z.string()) })
    .optional()
    .catch(undefined),
});

/** Converts an SDK error of a send: a refusal if the message was certainly not sent, otherwise `unknown`. `now` in ms. */
export const awsFailure = (fault: unknown, now: number, { errors, reasons, fields }: AwsErrorTable): ProviderAnswer => {
  const code = faultBeforeSending(fault);
  if (code) return refusal('unavailable', `aws cannot be reached: ${code}`);
  const error = awsError.safeParse(fault).data;
  if (!error) return { kind: 'unknown', detail: 'aws: unknown fault' };
  const { name, Reason: reason, Fields: named = [], $metadata: metadata, $response: response } = error;
  const summary = `aws ${name}${reason ? `: ${reason}` : ''}`;
  const byName = errors[name] ?? COMMON[name];
  if (!byName || (metadata?.httpStatusCode ?? 0) >= 500) return { kind: 'unknown', detail: summary };
  const byField = named
    .map(({ Name }) => fields?.[Name.toLowerCase().split(/[.[]/)[0] ?? ''])
    .find((cause) => cause !== undefined);
  return refusal(
    reasons?.[reason ?? ''] ?? byField ?? byName,
    summary,
    retryAfterSeconds(response?.headers['retry-after'], now),
  );
};
