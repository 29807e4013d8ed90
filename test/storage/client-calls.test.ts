import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  type AttributeValue,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, test } from 'vitest';
import { requestSigner } from '../../shared/aws/signer.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { isTransient } from '../../shared/storage/client/retries.ts';
import '../support/aws-environment.ts';
import { callEngine } from '../support/engine-calls.ts';
import { listening } from '../support/loopback.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';

/** Values of every type, with texts that JSON escapes, and names that resemble types. */
const VALUES: Readonly<Record<string, AttributeValue>> = {
  text: { S: 'ação "B":{ \u0000\u001f\u2028 \ud83d\ude00 \\' },
  half: { S: 'a\ud800b' },
  empty: { S: '' },
  number: { N: '-0.5' },
  truth: { BOOL: false },
  nothing: { NULL: true },
  bytes: { B: new Uint8Array([0, 255, 128]) },
  buffer: { B: Buffer.from('abc') },
  noBytes: { B: new Uint8Array() },
  texts: { SS: ['a', 'b'] },
  many: { BS: [new Uint8Array([1]), new Uint8Array([2, 3])] },
  list: { L: [{ S: 'a' }, { M: { B: { S: 'b' }, N: { N: '1' } } }, { L: [] }] },
  map: { M: { B: { M: { S: { S: 'c' } } }, 'a b': { B: new Uint8Array([7]) } } },
};
const TableName = 'table';

interface Call {
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A client as the tests' worlds have it. */
const engineClient = (endpoint: string) => {
  const client = tableClient(endpoint);
  void use(callEngine(client, endpoint, () => true));
  return client;
};

describe.each([
  ['a call of the client', tableClient],
  ['a call that tests make past the SDK', engineClient],
] as const)('%s', async (_, clientOf) => {
  const calls: Call[] = [];
  let answer: { readonly status: number; readonly text: string; readonly date?: string } = { status: 200, text: '{}' };
  const server = createServer((incoming, outgoing) => {
    void buffer(incoming).then((body) => {
      calls.push({ headers: incoming.headers, body: JSON.parse(body.toString('utf8')) });
      const { status, text, date } = answer;
      if (status === 0) return void incoming.socket.destroy();
      const headers = { 'content-type': 'application/x-amz-json-1.0', 'content-length': Buffer.byteLength(text) };
      outgoing.writeHead(status, { ...headers, ...(date ? { date } : {}) }).end(text);
    });
  });
  const { url: endpoint } = await use(listening(server));
  const own = patient(clientOf(endpoint));
  const sdk = new DynamoDBClient({ endpoint, maxAttempts: 1 });

  test.each(Object.entries(VALUES))('sends a value (%s) as the SDK itself does', async (name, value) => {
    const inputs = [
      new PutItemCommand({ TableName, Item: { [name]: value }, ConditionExpression: undefined }),
      new TransactWriteItemsCommand({ TransactItems: [{ Put: { TableName, Item: { [name]: value } } }] }),
      new QueryCommand({ TableName, Limit: 3, ConsistentRead: true, ExpressionAttributeValues: { ':v': value } }),
    ];
    answer = { status: 200, text: '{}' };
    for (const input of inputs) {
      await own.send(input as PutItemCommand);
      await sdk.send(input as PutItemCommand);
      const [ours, theirs] = calls.slice(-2);
      const { ClientRequestToken: _, ...body } = (theirs as Call).body;
      expect(ours?.body).toEqual(body);
      for (const header of ['x-amz-target', 'content-type', 'host', 'x-amz-security-token'])
        expect(ours?.headers[header]).toEqual(theirs?.headers[header]);
    }
  });

  test.each(Object.entries(VALUES))('reads a value (%s) as the SDK itself does', async (name, value) => {
    await sdk.send(new PutItemCommand({ TableName, Item: { [name]: value } }));
    const { Item } = (calls.at(-1) as Call).body;
    answer = { status: 200, text: JSON.stringify({ Item }) };
    const get = new GetItemCommand({ TableName, Key: {} });
    const [ours, theirs] = [await own.send(get), await sdk.send(get)];
    answer = { status: 200, text: '{}' };
    expect(ours.Item).toEqual(theirs.Item);
    expect(ours.$metadata.httpStatusCode).toBe(200);
  });

  test('throws the errors of the SDK itself, with the reasons of a cancelled transaction', async () => {
    const reason = { Code: 'ConditionalCheckFailed', Item: { pk: { S: 'a' }, bytes: { B: 'AAE=' } } };
    const cancelled = { __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException', Message: 'cancelled' };
    answer = { status: 400, text: JSON.stringify({ ...cancelled, CancellationReasons: [{ Code: 'None' }, reason] }) };
    const write = new TransactWriteItemsCommand({ TransactItems: [] });
    const [ours, theirs] = await Promise.all([own, sdk].map((client) => client.send(write).catch((error) => error)));
    answer = { status: 200, text: '{}' };
    expect(ours.name).toBe('TransactionCanceledException');
    expect(ours.CancellationReasons[1].Item.bytes.B).toEqual(new Uint8Array([0, 1]));
    expect(ours.CancellationReasons).toEqual(theirs.CancellationReasons);
    expect(ours.$metadata.httpStatusCode).toBe(400);
  });

  test('fails with a SyntaxError on a successful response that is not JSON', async () => {
    answer = { status: 200, text: '<html>' };
    await expect(own.send(new GetItemCommand({ TableName, Key: {} }))).rejects.toThrow(SyntaxError);
    answer = { status: 200, text: '{}' };
  });

  test('is answered, also as one of 300 concurrent calls', async () => {
    const before = calls.length;
    const get = new GetItemCommand({ TableName, Key: {} });
    const answers = await Promise.all(Array.from({ length: 300 }, () => own.send(get)));
    expect(answers.map(({ $metadata }) => $metadata.httpStatusCode)).toEqual(Array(300).fill(200));
    expect(calls.length - before).toBe(300);
  });

  test('reads an answer that comes in many parts', async () => {
    const text = 'ação'.repeat(200_000);
    answer = { status: 200, text: JSON.stringify({ Item: { text: { S: text } } }) };
    const { Item } = await own.send(new GetItemCommand({ TableName, Key: {} }));
    answer = { status: 200, text: '{}' };
    expect(Item).toEqual({ text: { S: text } });
  });

  test('whose connection breaks is a fault that may be tried again', async () => {
    answer = { status: 0, text: '' };
    // More of them than a client opens connections.
    const broken = Array.from({ length: 300 }, () => own.send(new GetItemCommand({ TableName, Key: {} })));
    const faults = (await Promise.allSettled(broken)).map((each) => each.status === 'rejected' && each.reason);
    answer = { status: 200, text: '{}' };
    expect(faults.filter(isTransient)).toHaveLength(300);
    expect((await own.send(new GetItemCommand({ TableName, Key: {} }))).$metadata.httpStatusCode).toBe(200);
  });

  // The calls past the SDK are not signed.
  if (clientOf !== tableClient) return;
  test('is dated by the clock of a server that refused the last one for its date', async () => {
    const ahead = 3600_000;
    const date = new Date(Date.now() + ahead).toUTCString();
    const refused = { __type: 'com.amazon.coral.service#InvalidSignatureException', message: 'Signature expired' };
    answer = { status: 400, text: JSON.stringify(refused), date };
    const client = tableClient(endpoint);
    const get = new GetItemCommand({ TableName, Key: {} });
    await expect(client.send(get)).rejects.toThrow('Signature expired');
    answer = { status: 200, text: '{}' };
    await client.send(get);
    const stamp = String(calls.at(-1)?.headers['x-amz-date']);
    const sent = Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
    expect(Math.abs(sent - Date.parse(date))).toBeLessThan(ahead / 2);
  });
});

describe('the signer', () => {
  const request = () => ({
    method: 'POST',
    protocol: 'https:',
    hostname: 'dynamodb.sa-east-1.amazonaws.com',
    path: '/behind/a-proxy',
    query: {},
    headers: { host: 'dynamodb.sa-east-1.amazonaws.com', 'x-amz-target': 'DynamoDB_20120810.GetItem' },
    body: Buffer.from('{"Key":{"pk":{"S":"ação"}}}'),
  });
  /** The successive credentials of a client. */
  const credentials = [
    { accessKeyId: 'AKIDFIRST', secretAccessKey: 'secret' },
    { accessKeyId: 'ASIASECOND', secretAccessKey: 'secret', sessionToken: 'token-of-a-role' },
    { accessKeyId: 'ASIASECOND', secretAccessKey: 'another', sessionToken: 'renewed-token' },
  ];

  test('signs as the SDK itself does, with credentials that are renewed, in every region, from day to day', async () => {
    for (const region of ['us-east-1', 'sa-east-1']) {
      let current = 0;
      const config = {
        region: async () => region,
        credentials: async () => credentials[current] ?? { accessKeyId: '', secretAccessKey: '' },
      };
      const signer = requestSigner('dynamodb', () => config);
      const days = ['2026-11-25T23:59:59.999Z', '2026-11-26T00:00:00.000Z'];
      // Each credential from day to day, and each day from credential to credential.
      const signed = [
        ...[...credentials.keys()].flatMap((at) => days.map((day) => ({ at, day }))),
        ...days.flatMap((day) => [...credentials.keys()].map((at) => ({ at, day }))),
      ];
      for (const { at, day } of signed) {
        current = at;
        const { config: stock } = new DynamoDBClient({ region, credentials: config.credentials });
        const options = { signingDate: new Date(day), signingRegion: region, signingService: 'dynamodb' };
        const theirs = await (await stock.signer()).sign(request(), options);
        const ours = await signer.sign(request(), { signingDate: new Date(day) });
        expect(ours.headers).toEqual(theirs.headers);
      }
    }
  });

  test('follows the region that it is given', async () => {
    const provide = {
      region: async () => 'us-east-1',
      credentials: async () => ({ accessKeyId: 'A', secretAccessKey: 'b' }),
    };
    const { headers } = await requestSigner('dynamodb', () => provide).sign(request(), { signingRegion: 'eu-west-1' });
    expect(headers.authorization).toContain('/eu-west-1/dynamodb/aws4_request');
  });
});
