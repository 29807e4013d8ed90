import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type OnThrottle, watchThrottles } from './throttles.ts';

/** Timeouts of a call before it is retried, in ms: far above DynamoDB's usual latency, far below a Lambda's timeout. */
const CONNECT_MS = 1_000;
const REQUEST_MS = 2_000;
const agent = { keepAlive: true, maxSockets: 256 };

const TOKEN_HEAD = Buffer.from(',"ClientRequestToken":"');
const TOKEN_BYTES = TOKEN_HEAD.length + 36 + '"}'.length;
const CLOSING_BRACE = 0x7d;

/** The body without the request token that the SDK appends; unchanged when there is none. */
const withoutToken = (body: Uint8Array): Uint8Array => {
  const at = body.byteLength - TOKEN_BYTES;
  if (at < 0) return body;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (TOKEN_HEAD.compare(bytes, at, at + TOKEN_HEAD.length) !== 0) return body;
  bytes[at] = CLOSING_BRACE;
  return bytes.subarray(0, at + 1);
};

/** SDK middleware that is not needed: logging that is not kept, tracing that DynamoDB does not do, the user agent. */
const UNUSED_MIDDLEWARE = ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware'] as const;

/**
 * A client for the table. Retries are the storage's own (`withRetries`): the SDK's would hide them and do not cover cancelled transactions.
 * The SDK's request tokens are removed: correctness comes from conditions, and engines that store tokens slow down as they accumulate.
 * `onThrottle` is told each call that is throttled.
 */
export const tableClient = (endpoint?: string, onThrottle?: OnThrottle): DynamoDBClient => {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    // The middleware of a command is resolved once instead of per call, which took a quarter of a call's processor time.
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: REQUEST_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(endpoint ? { endpoint } : {}),
  });
  for (const name of UNUSED_MIDDLEWARE) client.middlewareStack.remove(name);
  if (onThrottle) watchThrottles(client, onThrottle);
  client.middlewareStack.add(
    (next) => (args) => {
      const request = args.request as { body?: unknown };
      if (request.body instanceof Uint8Array) request.body = withoutToken(request.body);
      return next(args);
    },
    { step: 'build', priority: 'high', name: 'withoutRequestToken' },
  );
  return client;
};
