import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { callDirectly, noteEndpoint } from '../../aws/direct-calls.ts';
import { requestSigner } from '../../aws/signer.ts';
import { PLAIN_OPERATIONS, plainJson, toJson } from './plain-json.ts';
import { type OnThrottle, throttleWatch, watchThrottles } from './throttles.ts';

/** Timeouts of a call before it is retried, in ms: far above DynamoDB's usual latency, far below a Lambda's timeout. */
const CONNECT_MS = 1_000;
const REQUEST_MS = 2_000;
const agent = { keepAlive: true, maxSockets: 256 };

/** SDK middleware that is not needed: logging that is not kept, tracing that DynamoDB does not do, the user agent. */
const UNUSED_MIDDLEWARE = ['loggerMiddleware', 'recursionDetectionMiddleware', 'getUserAgentMiddleware'] as const;

/**
 * A client for the table. Retries are the storage's own (`withRetries`): the SDK's would hide them and do not cover cancelled transactions.
 * `onThrottle` is called for each throttled call; `requestMs` limits a call.
 */
export const tableClient = (endpoint?: string, onThrottle?: OnThrottle, requestMs = REQUEST_MS): DynamoDBClient => {
  const signer = noteEndpoint(requestSigner('dynamodb', () => client.config));
  const client = new DynamoDBClient({
    maxAttempts: 1,
    signer: async () => signer,
    // The middleware of a command is resolved once instead of per call, which took a quarter of a call's processor time.
    cacheMiddleware: true,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: requestMs,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(endpoint ? { endpoint } : {}),
  });
  client.config.protocol = plainJson(client.config.protocol);
  for (const name of UNUSED_MIDDLEWARE) client.middlewareStack.remove(name);
  // Replaces the SDK's retry middleware, since other middleware is positioned relative to it: with one attempt it would only number the
  // calls in two headers.
  client.middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
  const watch = onThrottle && throttleWatch(onThrottle);
  if (watch) watchThrottles(client, watch);
  callDirectly(client, signer, { target: 'DynamoDB_20120810', operations: PLAIN_OPERATIONS, encode: toJson, watch });
  return client;
};
