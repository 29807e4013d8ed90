import { once } from 'node:events';
import * as http from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { dropIdleSockets, fetchWithFreshConnections, MAX_IDLE_MS } from '../../shared/providers/keep-alive.ts';
import { textCalls } from '../../shared/providers/text-call.ts';
import { listening } from '../support/loopback.ts';

let url: string;
/** Connections that the server accepted. */
let opened: number;
let now: number;
const clock = () => now;

beforeEach(async () => {
  [opened, now] = [0, 1_000_000];
  // Keeps its side open: only the client closes connections.
  const server = http.createServer({ keepAliveTimeout: 60_000 }, (_, response) => response.end('ok'));
  server.on('connection', () => {
    opened += 1;
  });
  const { url: address, close } = await listening(server);
  url = `${address}/`;
  return close;
});

const byFetch = () => {
  const kept = fetchWithFreshConnections(clock);
  return async () => (await kept(url, { method: 'POST', body: '{}' })).text();
};
const byAgent = () => {
  const agent = dropIdleSockets(new http.Agent({ keepAlive: true }), MAX_IDLE_MS, clock);
  return async () => {
    const request = http.request(url, { method: 'POST', agent }).end('{}');
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    const text = (await response.toArray()).join('');
    // Only now does the agent have its connection back.
    await new Promise((resolve) => setImmediate(resolve));
    return text;
  };
};

const byTextCall = () => {
  const kept = textCalls(clock);
  const call = { method: 'POST', headers: {}, body: '{}', timeoutMs: 60_000, maxBytes: 100 };
  return async () => (await kept({ ...call, url })).body;
};

describe.each([
  ['fetch', byFetch],
  ['a call whose body is text', byTextCall],
  ['an agent of Node', byAgent],
])('a connection of %s', (_, make) => {
  test('is reused by call after call', async () => {
    const call = make();
    for (let turn = 0; turn < 5; turn++) {
      expect(await call()).toBe('ok');
      now += MAX_IDLE_MS;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(opened).toBe(1);
  });

  test('that idled too long by the wall clock is not reused, whatever the timers say', async () => {
    const call = make();
    await call();
    now += MAX_IDLE_MS + 1;
    expect(await call()).toBe('ok');
    expect(opened).toBe(2);
  });
});

test('calls in flight end on their connection when a later one opens another', async () => {
  const call = fetchWithFreshConnections(clock);
  const first = await call(url);
  now += MAX_IDLE_MS + 1;
  const [second, text] = await Promise.all([call(url), first.text()]);
  expect([text, await second.text()]).toEqual(['ok', 'ok']);
});

test('each origin has connections of its own', async () => {
  const call = fetchWithFreshConnections(clock);
  await (await call(url)).text();
  await (await call(url.replace('127.0.0.1', 'localhost'))).text();
  now += MAX_IDLE_MS;
  await (await call(url)).text();
  expect(opened).toBe(2);
});
