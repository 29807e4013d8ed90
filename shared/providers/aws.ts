import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import * as z from 'zod';
import type { ProviderAnswer, RefusalCause } from '../domain/messages/provider.ts';
import { faultBeforeSending, refusal, retryAfterSeconds } from './http.ts';
import { lendsFresh } from './kept-connections.ts';

/** The settings by which every adapter of AWS reaches its service. */
export const awsAccessSettings = {
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
  accessKeyId: z
    .string()
    .min(1)
    .optional()
    .describe('An access key to send with; without it, the role of the function or the environment.'),
  secretAccessKey: z.string().min(1).optional().describe("The access key's secret."),
  timeoutMs: z.int().min(100).max(11_000).default(10_000).describe('How long AWS may take to answer, in ms.'),
};
/** The settings by which every adapter takes the deliveries of SNS. */
export const snsSettings = {
  topicArns: z.array(z.string().regex(/^arn:aws[a-z-]*:sns:[^:]+:\d{12}:.+$/)).min(1),
  snsBaseUrl: z
    .url()
    .optional()
    .describe(
      'Another address than that of SNS to fetch signing certificates and confirm subscriptions at; the documented address is checked all the same.',
    ),
};

interface AccessKey {
  readonly accessKeyId?: string | undefined;
  readonly secretAccessKey?: string | undefined;
}
/** Half an access key sends nothing. */
export const hasWholeAccessKey = ({ accessKeyId, secretAccessKey }: AccessKey): boolean =>
  (accessKeyId === undefined) === (secretAccessKey === undefined);
export const WHOLE_ACCESS_KEY = 'accessKeyId and secretAccessKey go together';

/** As the SDK's own agents. */
const KEPT = { keepAlive: true, maxSockets: 50 };

/** A way of reaching AWS. */
interface Access extends AccessKey {
  readonly region: string;
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
}

/** What every client of AWS that sends is made with. */
export const awsClientConfig = ({ region, baseUrl, accessKeyId, secretAccessKey, timeoutMs }: Access) => ({
  region,
  ...(baseUrl ? { endpoint: baseUrl } : {}),
  ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
  // Sends take no idempotency token: a second attempt of the SDK could be a second message.
  maxAttempts: 1,
  requestHandler: {
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    throwOnRequestTimeout: true,
    httpAgent: lendsFresh(new HttpAgent(KEPT)),
    httpsAgent: lendsFresh(new HttpsAgent(KEPT)),
  },
});

const MOST_CLIENTS = 8;
/** Clients hold connections and credentials, and adapters are opened again every few seconds: one client per way of reaching AWS. */
export const keptClients = <Client>() => {
  const clients = new Map<string, Client>();
  return (access: Access, make: (config: ReturnType<typeof awsClientConfig>) => Client): Client => {
    const { region, baseUrl, accessKeyId, secretAccessKey, timeoutMs } = access;
    const key = JSON.stringify([region, baseUrl, accessKeyId, secretAccessKey, timeoutMs]);
    const held = clients.get(key);
    if (held) return held;
    const made = make(awsClientConfig(access));
    if (clients.size >= MOST_CLIENTS) clients.clear();
    clients.set(key, made);
    return made;
  };
};

/** What a service's errors mean, by name; then what says more than the name. Errors that may strike after the send are left out. */
export interface AwsErrorTable {
  readonly errors: Readonly<Record<string, RefusalCause>>;
  /** By an error's `Reason`. */
  readonly reasons?: Readonly<Record<string, RefusalCause>>;
  /** By the field at fault: the lower-case name of the parameter of the request, whatever within it is at fault. */
  readonly fields?: Readonly<Record<string, RefusalCause>>;
}

/** Common errors of AWS services that certainly stop a request, and the SDK's own when it finds no credentials: no request leaves then. */
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
/** The parts of an SDK error that are read. Its message may repeat the request and is never passed on. */
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

/** What a fault of the SDK says of a send: a refusal where it is certain, else unknown. `now` in ms. */
export const awsFailure = (fault: unknown, now: number, { errors, reasons, fields }: AwsErrorTable): ProviderAnswer => {
  const code = faultBeforeSending(fault);
  if (code) return refusal('unavailable', `aws cannot be reached: ${code}`);
  const error = awsError.safeParse(fault).data;
  if (!error) return { kind: 'unknown', detail: 'aws: unknown fault' };
  const { name, Reason: reason, Fields: named = [], $metadata: metadata, $response: response } = error;
  const words = `aws ${name}${reason ? `: ${reason}` : ''}`;
  const byName = errors[name] ?? COMMON[name];
  if (!byName || (metadata?.httpStatusCode ?? 0) >= 500) return { kind: 'unknown', detail: words };
  const byField = named
    .map(({ Name }) => fields?.[Name.toLowerCase().split(/[.[]/)[0] ?? ''])
    .find((cause) => cause !== undefined);
  return refusal(
    reasons?.[reason ?? ''] ?? byField ?? byName,
    words,
    retryAfterSeconds(response?.headers['retry-after'], now),
  );
};
