import { SQSClient } from '@aws-sdk/client-sqs';
import { callDirectly, noteEndpoint } from '../aws/direct-calls.ts';
import { requestSigner } from '../aws/signer.ts';

/** The longest that a call may wait for messages, in s (SQS, ReceiveMessage). */
export const LONG_POLL_SECONDS = 20;

/** Timeouts in ms: of a connection, and of an answer, which a receive may wait for as long as SQS lets it. */
const CONNECT_MS = 1_000;
const ANSWER_MS = 3_000;
const RECEIVE_MS = (LONG_POLL_SECONDS + 5) * 1_000;
const agent = { keepAlive: true, maxSockets: 256 };

/** Operations whose inputs and outputs are plain JSON: no message of ours has attributes of its own, which may be binary. */
const PLAIN_OPERATIONS: ReadonlySet<string> = new Set([
  'ChangeMessageVisibilityBatch',
  'DeleteMessageBatch',
  'ReceiveMessage',
  'SendMessageBatch',
]);

/**
 * A client for queues. `receives`: whether it waits for messages, so that a call may take that long. Without the SDK's middleware, calls are
 * not compared by MD5 with what the queue stored: TLS protects them on their way, and a consumer parses each message.
 */
export const queueClient = (endpoint?: string, { receives = false } = {}): SQSClient => {
  const signer = noteEndpoint(requestSigner('sqs', () => client.config));
  const client = new SQSClient({
    maxAttempts: 2,
    signer: async () => signer,
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: receives ? RECEIVE_MS : ANSWER_MS,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
    },
    ...(endpoint ? { endpoint } : {}),
  });
  callDirectly(client, signer, {
    target: 'AmazonSQS',
    // Errors have the names of the query protocol with it, as the SDK reads them.
    headers: { 'x-amzn-query-mode': 'true' },
    operations: PLAIN_OPERATIONS,
    encode: JSON.stringify,
    decode: (body) => JSON.parse(body.toString('utf8')),
    repeatBySdk: true,
  });
  return client;
};
