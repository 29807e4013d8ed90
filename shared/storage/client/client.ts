import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** How long a call may take before it is given up and tried again, in ms: far above DynamoDB's own slowest, far below a Lambda's end. */
const CONNECT_MS = 1_000;
const REQUEST_MS = 2_000;
const agent = { keepAlive: true, maxSockets: 256 };

const TOKEN_HEAD = Buffer.from(',"ClientRequestToken":"');
const TOKEN_BYTES = TOKEN_HEAD.length + 36 + '"}'.length;
const CLOSING_BRACE = 0x7d;

/** The body without the token that the SDK puts at its end; the same body when there is none. */
const withoutToken = (body: Uint8Array): Uint8Array => {
  const at = body.byteLength - TOKEN_BYTES;
  if (at < 0) return body;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  if (TOKEN_HEAD.compare(bytes, at, at + TOKEN_HEAD.length) !== 0) return body;
  bytes[at] = CLOSING_BRACE;
  return bytes.subarray(0, at + 1);
};

/** What the SDK does at each call for logs that are not kept, for tracing that DynamoDB does not do, and to name itself. */
const NEEDLESS = ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware'] as const;

/**
 * A client for a table. Its retries are the storage's own (`persistently`): the SDK's would hide them and miss cancelled
 * transactions. The request tokens that the SDK adds by itself are taken out: conditions carry correctness, and engines that
 * keep tokens slow down as they pile up.
 */
export const tableClient = (endpoint?: string): DynamoDBClient => {
  const client = new DynamoDBClient({
    maxAttempts: 1,
    // The middleware of a command is resolved once, not at each call: a quarter of a call's processor time.
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
  for (const name of NEEDLESS) client.middlewareStack.remove(name);
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
