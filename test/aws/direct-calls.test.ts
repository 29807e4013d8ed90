import { Agent, createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { exchange } from '../../shared/aws/exchange.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { isTransient } from '../../shared/storage/client/retries.ts';
import { fc } from '../support/fast-check.ts';
import '../support/aws-environment.ts';
import { listening } from '../support/loopback.ts';
import { passesOf } from '../support/sdk-passes.ts';
import { use } from '../support/use.ts';
import { httpsEndpoint, trustCert } from '../support/webhooks/endpoints.ts';

interface Received {
  readonly url: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
const received: Received[] = [];
type Respond = (response: ServerResponse, request: IncomingMessage) => void;
const json =
  (status: number, text: string): Respond =>
  (response) =>
    response
      .writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(text) })
      .end(text);
const FINE = json(200, '{}');
let respond: Respond = FINE;
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    received.push({ url: request.url, headers: request.headers as Received['headers'], body: body.toString('utf8') });
    respond(response, request);
  });
});
const { url: endpoint } = await use(listening(server));
const sdk = new DynamoDBClient({ endpoint, maxAttempts: 1 });

const TableName = 'table';
const get = () => new GetItemCommand({ TableName, Key: { pk: { S: 'a' } } });
/** A client whose calls go past the SDK, which has made its first one. */
const directClient = async () => {
  const client = tableClient(endpoint);
  await client.send(get());
  return client;
};

const name = fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((text) => text !== '__proto__');
const leaf: fc.Arbitrary<AttributeValue> = fc.oneof(
  fc.string({ unit: 'binary' }).map((S) => ({ S })),
  fc.integer().map((n) => ({ N: String(n) })),
  fc.boolean().map((BOOL) => ({ BOOL })),
  fc.constant<AttributeValue>({ NULL: true }),
  fc.uint8Array({ maxLength: 20 }).map((B) => ({ B })),
  fc.array(fc.string(), { minLength: 1, maxLength: 3 }).map((SS) => ({ SS })),
  fc.array(fc.uint8Array({ maxLength: 5 }), { minLength: 1, maxLength: 3 }).map((BS) => ({ BS })),
);
const { value } = fc.letrec<{ value: AttributeValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }).map((L) => ({ L })),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }).map((M) => ({ M })),
  ),
}));
const item = fc.dictionary(name, value, { maxKeys: 5 });
const expression = { ConditionExpression: '#a = :a', ExpressionAttributeNames: { '#a': 'a' } };

/** Calls of every kind that rows are read and written with. */
const command = fc.oneof(
  item.map((Key) => new GetItemCommand({ TableName, Key, ConsistentRead: true })),
  item.map((Item) => new PutItemCommand({ TableName, Item, ...expression, ReturnValues: undefined })),
  item.map((Key) => new DeleteItemCommand({ TableName, Key })),
  fc
    .tuple(item, item)
    .map(
      ([Key, ExpressionAttributeValues]) =>
        new UpdateItemCommand({ TableName, Key, UpdateExpression: 'SET #a = :a', ExpressionAttributeValues }),
    ),
  item.map((ExpressionAttributeValues) => new QueryCommand({ TableName, Limit: 3, ExpressionAttributeValues })),
  item.map((ExclusiveStartKey) => new ScanCommand({ TableName, ExclusiveStartKey, Segment: 0, TotalSegments: 2 })),
  fc.array(item).map((Keys) => new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } })),
  fc
    .array(item)
    .map(
      (all) =>
        new BatchWriteItemCommand({ RequestItems: { [TableName]: all.map((Item) => ({ PutRequest: { Item } })) } }),
    ),
  fc.array(item).map(
    (all) =>
      new TransactWriteItemsCommand({
        TransactItems: all.map((Item) => ({ Put: { TableName, Item, ...expression } })),
      }),
  ),
);

/** The path and the headers received, without those that differ from call to call. */
const steady = ({ url, headers }: Received) => {
  const { authorization = '', 'x-amz-date': _, 'x-amz-content-sha256': __, 'content-length': ___, ...others } = headers;
  return { url, ...others, authorization: authorization.replace(/Signature=\w+$|\d{8}\//g, '') };
};

test('a random call arrives as the SDK itself sends it, signed like its first one', async () => {
  const client = await directClient();
  const first = received.at(-1) as Received;
  await fc.assert(
    fc.asyncProperty(command, async (call) => {
      await client.send(call as GetItemCommand);
      const ours = received.at(-1) as Received;
      await sdk.send(call as GetItemCommand);
      const theirs = received.at(-1) as Received;
      const { ClientRequestToken: _, ...body } = JSON.parse(theirs.body);
      expect(JSON.parse(ours.body)).toEqual(body);
      expect(steady(ours)).toEqual({ ...steady(first), 'x-amz-target': theirs.headers['x-amz-target'] });
      expect(ours.headers['content-length']).toBe(String(Buffer.byteLength(ours.body)));
    }),
    { numRuns: 200 },
  );
});

test('a random answer is read as the SDK itself reads it', async () => {
  const client = await directClient();
  await fc
    .assert(
      fc.asyncProperty(item, async (stored) => {
        respond = FINE;
        await sdk.send(new PutItemCommand({ TableName, Item: stored }));
        const { Item } = JSON.parse((received.at(-1) as Received).body);
        respond = json(200, JSON.stringify({ Item, ConsumedCapacity: { TableName, CapacityUnits: 1.5 } }));
        const [ours, theirs] = [await client.send(get()), await sdk.send(get())];
        const { $metadata: _, ...output } = theirs;
        expect(ours).toMatchObject(output);
        expect(Object.keys(ours.Item ?? {})).toHaveLength(Object.keys(stored).length);
      }),
      { numRuns: 100 },
    )
    .finally(() => {
      respond = FINE;
    });
});

const errorOf = async (client: DynamoDBClient): Promise<Record<string, unknown>> => {
  const { $metadata, ...fields } = await client.send(get()).then(
    () => expect.unreachable('the call was to fail'),
    (error) => ({
      ...error,
      name: error.name,
      message: error.message,
      type: error.constructor.name,
      transient: isTransient(error),
    }),
  );
  return { ...fields, status: ($metadata as { httpStatusCode?: number } | undefined)?.httpStatusCode };
};
const TYPE = 'com.amazonaws.dynamodb.v20120810#';
test.each([
  [
    'a failed condition',
    400,
    { __type: `${TYPE}ConditionalCheckFailedException`, message: 'm', Item: { b: { B: 'AAE=' } } },
  ],
  ['a throttled call', 400, { __type: `${TYPE}ProvisionedThroughputExceededException`, message: 'm' }],
  ['a conflict', 400, { __type: `${TYPE}TransactionConflictException`, message: 'm' }],
  [
    'a cancelled transaction',
    400,
    { __type: `${TYPE}TransactionCanceledException`, Message: 'm', CancellationReasons: [{ Code: 'ThrottlingError' }] },
  ],
  ['a bad input', 400, { __type: 'com.amazon.coral.validate#ValidationException', message: 'm' }],
  ['a fault of the server', 500, { __type: `${TYPE}InternalServerError`, message: 'm' }],
  ['an error that nobody knows', 503, { __type: 'SomethingNew', message: 'm' }],
] as const)('%s is the same error as through the SDK', async (_, status, body) => {
  const client = await directClient();
  respond = json(status, JSON.stringify(body));
  const [ours, theirs] = [await errorOf(client), await errorOf(sdk)];
  respond = FINE;
  expect(ours).toEqual(theirs);
});

test.each([
  ['with a page instead of JSON', json(503, '<html>')],
  ['as a success that is not JSON', json(200, '<html>')],
  [
    'cut off in the middle',
    ((response) => {
      response.writeHead(200, { 'content-length': 100 }).write('{');
      setImmediate(() => response.destroy());
    }) satisfies Respond,
  ],
  ['by nothing but a closed connection', (response) => response.destroy()],
] as const satisfies readonly (readonly [string, Respond])[])(
  'a call answered %s fails at once, and may be tried again',
  async (_, broken) => {
    const client = await directClient();
    respond = broken;
    const fault = await client.send(get()).catch((error: unknown) => error);
    respond = FINE;
    expect(isTransient(fault)).toBe(true);
    expect(fault).not.toMatchObject({ name: 'TimeoutError' });
    expect((await client.send(get())).$metadata.httpStatusCode).toBe(200);
  },
);

test('a call of another operation, and one with options of its own, are made by the SDK', async () => {
  const client = await directClient();
  const passed = passesOf(client);
  respond = json(200, JSON.stringify({ Table: { TableName } }));
  expect((await client.send(new DescribeTableCommand({ TableName }))).Table?.TableName).toBe(TableName);
  expect(passed()).toBe(1);
  respond = () => undefined;
  const late = client.send(get(), { requestTimeout: 50 }).catch((error: Error) => error.name);
  expect(await late).toBe('TimeoutError');
  expect(passed()).toBe(2);
  respond = FINE;
});

test('a call is dated by the clock of the server that answered the last one', async () => {
  const client = await directClient();
  const [ahead, date] = [600_000, new Date(Date.now() + 600_000).toUTCString()];
  respond = (response) => response.writeHead(200, { date, 'content-length': 2 }).end('{}');
  await client.send(get());
  respond = FINE;
  await client.send(get());
  const stamp = String(received.at(-1)?.headers['x-amz-date']);
  const sent = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  expect(Math.abs(sent - Date.parse(date))).toBeLessThan(ahead / 2);
});

test('calls over TLS go past the SDK too, and share a connection', async () => {
  trustCert();
  const ports: (number | undefined)[] = [];
  const secure = await use(
    httpsEndpoint((request, response) => {
      ports.push(request.socket.remotePort);
      request.resume().on('end', () => FINE(response, request));
    }),
  );
  const client = tableClient(`https://localhost:${secure.port}`);
  const passed = passesOf(client);
  for (let turn = 0; turn < 3; turn++) expect((await client.send(get())).$metadata.httpStatusCode).toBe(200);
  expect(new Set(ports).size).toBe(1);
  expect(ports).toHaveLength(3);
  expect(passed()).toBe(1);
  client.destroy();
});

test('a call that gets no connection in time is a fault that may be tried again, and one that has it waits for its answer', async () => {
  const agent = new Agent();
  // Never connected.
  agent.createConnection = () => Object.defineProperty(new Socket(), 'connecting', { value: true });
  const { hostname, port } = new URL(endpoint);
  const line = { isSecure: false, hostname, port: Number(port), path: '/', connectMs: 50, answerMs: 60_000 };
  const fault = await exchange({ ...line, agent }, {}, '').catch((error: unknown) => error);
  expect(fault).toMatchObject({ name: 'TimeoutError' });
  expect(isTransient(fault)).toBe(true);
  respond = (response, request) => void pause(2_000).then(() => FINE(response, request));
  const patient = { ...line, connectMs: 1_500, agent: new Agent() };
  expect((await exchange(patient, { 'content-length': '0' }, '')).statusCode).toBe(200);
  respond = FINE;
});

test('a call that waits for a connection of others fails in time', async () => {
  const { hostname, port } = new URL(endpoint);
  const line = { isSecure: false, hostname, port: Number(port), path: '/', connectMs: 60_000 };
  respond = () => undefined;
  const busy = { ...line, answerMs: 300, agent: new Agent({ maxSockets: 1 }) };
  const first = exchange({ ...busy, answerMs: 3_000 }, {}, '').catch((error: unknown) => error);
  const waiting = exchange(busy, {}, '').catch((error: unknown) => error);
  expect(await Promise.race([first, waiting])).toBe(await waiting);
  expect([await waiting, await first].map(isTransient)).toEqual([true, true]);
  respond = FINE;
});

test('calls pass the middleware of the SDK until its first one is answered, and none after that', async () => {
  const client = tableClient(endpoint);
  const passed = passesOf(client);
  for (let turn = 0; turn < 3; turn++) await client.send(get());
  expect(passed()).toBe(1);
});
