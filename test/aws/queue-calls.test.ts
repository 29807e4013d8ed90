import { createServer, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  ChangeMessageVisibilityBatchCommand,
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queueClient } from '../../shared/queues/client.ts';
import { fc } from '../support/fast-check.ts';
import '../support/aws-environment.ts';
import { listening } from '../support/loopback.ts';
import { passesOf } from '../support/sdk-passes.ts';
import { use } from '../support/use.ts';

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const received: Received[] = [];
type Respond = (response: ServerResponse) => void;
const json =
  (status: number, body: object, headers = {}): Respond =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', ...headers }).end(JSON.stringify(body));
const FINE = json(200, {});
const NEVER: Respond = () => undefined;
let responses: Respond[] = [];
/** Sets the next responses of the server; the last one is also that of all further calls. */
const respondWith = (...next: readonly Respond[]) => {
  responses = [...next];
};
respondWith(FINE);
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ headers: request.headers as Received['headers'], body: body.toString('utf8') });
    const [respond = FINE] = responses.length > 1 ? responses.splice(0, 1) : responses;
    respond(response);
  });
});
const { url: endpoint } = await use(listening(server));
/** Its answers need no digest of what was sent. */
const sdk = new SQSClient({ endpoint, maxAttempts: 1, md5: false as never });

const QueueUrl = `${endpoint}/000000000000/send`;
const receive = () => new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 20 });
/** A client whose calls go past the SDK, which has made its first one. */
const directClient = async (options = {}) => {
  const client = queueClient(endpoint, options);
  await client.send(receive());
  return client;
};

const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
const entries = <T>(entry: fc.Arbitrary<T>) =>
  fc.array(entry, { minLength: 1, maxLength: 10 }).map((all) => all.map((one, at) => ({ Id: String(at), ...one })));
const body = fc.record(
  { MessageBody: text, DelaySeconds: fc.nat(900), MessageGroupId: text },
  { requiredKeys: ['MessageBody', 'DelaySeconds'] },
);
/** Calls of every kind that the service and its pollers make all the time. */
const command = fc.oneof(
  entries(body).map((Entries) => new SendMessageBatchCommand({ QueueUrl, Entries })),
  entries(fc.record({ ReceiptHandle: text })).map((Entries) => new DeleteMessageBatchCommand({ QueueUrl, Entries })),
  entries(fc.record({ ReceiptHandle: text, VisibilityTimeout: fc.nat(43_200) })).map(
    (Entries) => new ChangeMessageVisibilityBatchCommand({ QueueUrl, Entries }),
  ),
  fc
    .integer({ min: 1, max: 10 })
    .map(
      (MaxNumberOfMessages) =>
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages, MessageSystemAttributeNames: ['All'] }),
    ),
);

/** The headers that the SDK adds for its own statistics and retries, and those that differ from call to call. */
const OTHERS = /^(amz-sdk-|user-agent|x-amz-user-agent|authorization|x-amz-date|x-amz-content-sha256|content-length)/;
const steady = ({ headers }: Received) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OTHERS.test(name)));

test('a random call arrives as the SDK itself sends it', async () => {
  const client = await directClient();
  const passed = passesOf(client);
  await fc.assert(
    fc.asyncProperty(command, async (call) => {
      await client.send(call as ReceiveMessageCommand);
      const ours = received.at(-1) as Received;
      await sdk.send(call as ReceiveMessageCommand);
      const theirs = received.at(-1) as Received;
      expect(JSON.parse(ours.body)).toEqual(JSON.parse(theirs.body));
      expect(steady(ours)).toEqual(steady(theirs));
      const signed = /\/sqs\/aws4_request, SignedHeaders=[a-z0-9;-]*;x-amzn-query-mode,/;
      expect(ours.headers.authorization).toMatch(signed);
    }),
    { numRuns: 100 },
  );
  expect(passed()).toBe(0);
});

test('a random answer is read as the SDK itself reads it', async () => {
  const client = await directClient();
  const message = fc.record({
    MessageId: text,
    ReceiptHandle: text,
    Body: text,
    Attributes: fc.record({ ApproximateReceiveCount: fc.nat().map(String), MessageGroupId: text }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 10 }), async (Messages) => {
      respondWith(json(200, Messages.length > 0 ? { Messages } : {}));
      const { $metadata: _, ...theirs } = await sdk.send(receive());
      expect(await client.send(receive())).toEqual(theirs);
    }),
    { numRuns: 50 },
  );
  respondWith(FINE);
});

test('an error has the name that the SDK itself gives it', async () => {
  const client = await directClient();
  respondWith(
    json(
      400,
      { __type: 'com.amazonaws.sqs#QueueDoesNotExist', message: 'm' },
      { 'x-amzn-query-error': 'AWS.SimpleQueueService.NonExistentQueue;Sender' },
    ),
  );
  const errorOf = (of: SQSClient) =>
    of.send(receive()).then(
      () => expect.unreachable('the call was to fail'),
      ({ name, message, Code }) => ({ name, message, Code }),
    );
  expect(await errorOf(client)).toEqual(await errorOf(sdk));
  respondWith(FINE);
});

test('a call that fails is repeated by the SDK', async () => {
  const client = await directClient();
  const passed = passesOf(client);
  const { length } = received;
  respondWith((response) => response.destroy(), json(200, { Successful: [{ Id: '0', MessageId: 'm' }] }));
  const sent = await client.send(
    new DeleteMessageBatchCommand({ QueueUrl, Entries: [{ Id: '0', ReceiptHandle: 'r' }] }),
  );
  expect(sent.Successful).toHaveLength(1);
  expect(received).toHaveLength(length + 2);
  expect(passed()).toBe(1);
  respondWith(FINE);
});

test('a call of another operation is made by the SDK', async () => {
  const client = await directClient();
  const passed = passesOf(client);
  await client.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  expect(passed()).toBe(1);
});

test('a receive that is given up ends at once and is not repeated', async () => {
  const client = await directClient({ receives: true });
  const { length } = received;
  respondWith(NEVER);
  const stopping = new AbortController();
  const receiving = client.send(receive(), { abortSignal: stopping.signal }).catch((error: Error) => error.name);
  await expect.poll(() => received.length).toBe(length + 1);
  stopping.abort();
  expect(await receiving).toBe('AbortError');
  const before = client.send(receive(), { abortSignal: stopping.signal }).catch((error: Error) => error.name);
  expect(await before).toBe('AbortError');
  expect(received).toHaveLength(length + 1);
  respondWith(FINE);
});

test('a queue that never answers is waited for a few seconds, and a receive as long as it may take', async () => {
  const [client, receiver] = [await directClient(), await directClient({ receives: true })];
  respondWith(NEVER);
  const receiving = receiver.send(receive());
  const startedAt = performance.now();
  await expect(client.send(receive())).rejects.toMatchObject({ name: 'TimeoutError' });
  // Three attempts of 3 s each, one of them direct.
  expect(performance.now() - startedAt).toBeGreaterThan(8_900);
  expect(await Promise.race([receiving, Promise.resolve('still waiting')])).toBe('still waiting');
  respondWith(FINE);
  server.closeAllConnections();
  await receiving;
});
