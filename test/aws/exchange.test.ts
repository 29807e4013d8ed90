import { once } from 'node:events';
import { Agent, createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, test, vi } from 'vitest';
import { callDirectly, noteEndpoint } from '../../shared/aws/direct-calls.ts';
import { exchange, type Line } from '../../shared/aws/exchange.ts';
import { requestSigner } from '../../shared/aws/signer.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import '../support/aws-environment.ts';
import { listening } from '../support/loopback.ts';
import { PATIENCE } from '../support/patience.ts';
import { use } from '../support/use.ts';

afterEach(() => void vi.useRealTimers());

type Respond = (response: ServerResponse) => void;
const fine: Respond = (response) => void response.end('{}');
let respond = fine;
const sockets: Socket[] = [];
const headers: IncomingHttpHeaders[] = [];
const server = createServer((request, response) => {
  headers.push(request.headers);
  request.resume().once('end', () => respond(response));
}).on('connection', (socket) => sockets.push(socket));
const { url: endpoint } = await use(listening(server));

const get = () => new GetItemCommand({ TableName: 'table', Key: { pk: { S: 'a' } } });
/** A client whose calls go past the SDK, which has made its first one. */
const directClient = async () => {
  const client = tableClient(endpoint);
  await client.send(get());
  return client;
};
const lineWith = (agent: Agent, limits: Partial<Line> = {}): Line => {
  const { hostname, port } = new URL(endpoint);
  return {
    isSecure: false,
    hostname,
    port: Number(port),
    path: '/',
    agent,
    connectMs: 5_000,
    answerMs: 5_000,
    ...limits,
  };
};
const NO_BODY = { 'content-length': '0' };

test('a connection that is used again has no limit to connect', async () => {
  const line = lineWith(new Agent({ keepAlive: true, maxSockets: 1 }), { connectMs: 1_500 });
  await exchange(line, NO_BODY, '');
  const before = sockets.length;
  respond = (response) => void pause(2_000).then(() => fine(response));
  expect((await exchange(line, NO_BODY, '')).statusCode).toBe(200);
  respond = fine;
  expect(sockets).toHaveLength(before);
});

test('a call leaves no timer behind, be it answered, broken off or never connected', async () => {
  const { port } = await listening(createServer()).then(async ({ url, close }) => close().then(() => new URL(url)));
  const line = lineWith(new Agent());
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  await exchange(line, NO_BODY, '');
  expect(vi.getTimerCount()).toBe(0);
  respond = (response) => void response.destroy();
  await expect(exchange(line, NO_BODY, '')).rejects.toThrow('socket hang up');
  respond = fine;
  expect(vi.getTimerCount()).toBe(0);
  await expect(exchange({ ...line, port: Number(port) }, NO_BODY, '')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  // The socket reports that it is closed after its error.
  await expect.poll(() => vi.getTimerCount(), PATIENCE).toBe(0);
});

test('the connection of a call that is not answered in time is closed, and not used again', async () => {
  respond = () => undefined;
  const line = lineWith(new Agent({ keepAlive: true }), { answerMs: 200 });
  await expect(exchange(line, NO_BODY, '')).rejects.toThrow('AWS did not answer within 200 ms.');
  const socket = sockets.at(-1) as Socket;
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  respond = fine;
  expect((await exchange({ ...line, answerMs: 5_000 }, NO_BODY, '')).statusCode).toBe(200);
  expect(sockets.at(-1)).not.toBe(socket);
});

test('a call of the client is given two seconds for its answer', async () => {
  const client = await directClient();
  respond = () => undefined;
  await expect(client.send(get())).rejects.toThrow('AWS did not answer within 2000 ms.');
  respond = fine;
});

test.each([
  ['without a date', (response: ServerResponse) => Object.assign(response, { sendDate: false })],
  ['with a date that is none', (response: ServerResponse) => response.setHeader('date', 'soon')],
])('an answer %s leaves the clock of the last one', async (_, spoil) => {
  const client = await directClient();
  const ahead = Date.now() + 3_600_000;
  respond = (response) => fine(response.setHeader('date', new Date(ahead).toUTCString()));
  await client.send(get());
  respond = (response) => fine(spoil(response));
  for (let turn = 0; turn < 2; turn++) await client.send(get());
  respond = fine;
  const sent = Date.parse(
    String(headers.at(-1)?.['x-amz-date']).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  expect(Math.abs(sent - ahead)).toBeLessThan(1_800_000);
});

test('an address of version 6 is called like a name', async () => {
  const six = createServer((_, response) => fine(response)).listen(0, '::1');
  await once(six, 'listening');
  const client = tableClient(`http://[::1]:${(six.address() as AddressInfo).port}`);
  for (let turn = 0; turn < 2; turn++) expect((await client.send(get())).$metadata.httpStatusCode).toBe(200);
  client.destroy();
  six.close().closeAllConnections();
});

test('a call is signed for the region that the SDK found for its endpoint', async () => {
  const signer = noteEndpoint(requestSigner('dynamodb', () => client.config));
  const client: DynamoDBClient = new DynamoDBClient({
    endpoint,
    region: 'sa-east-1',
    requestHandler: { connectionTimeout: 5_000, requestTimeout: 5_000 },
    signer: async () => ({
      sign: (request, options) => signer.sign(request, { ...options, signingRegion: 'us-gov-west-1' }),
    }),
  });
  callDirectly(client, signer, {
    target: 'DynamoDB_20120810',
    operations: new Set(['GetItem']),
    encode: JSON.stringify,
  });
  for (let turn = 0; turn < 2; turn++) {
    await client.send(get());
    expect(headers.at(-1)?.authorization).toContain('/us-gov-west-1/dynamodb/');
  }
});
