import { once } from 'node:events';
import * as http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { dropIdleSockets, fetchWithFreshConnections, MAX_IDLE_MS } from '../../shared/providers/keep-alive.ts';

let server: http.Server;
let url: string;
/** Connections that came in, and those of them that carried each call. */
let opened: number;
let now: number;
const clock = () => now;

beforeEach(async () => {
  [opened, now] = [0, 1_000_000];
  // Keeps its side open: what a client does is then its own choice.
  server = http.createServer({ keepAliveTimeout: 60_000 }, (_, response) => response.end('ok'));
  server.on('connection', () => {
    opened += 1;
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
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
    // Only now has the agent its connection back.
    await new Promise((resolve) => setImmediate(resolve));
    return text;
  };
};

describe.each([
  ['fetch', byFetch],
  ['an agent of Node', byAgent],
])('a connection of %s', (_, make) => {
  test('carries call after call', async () => {
    const call = make();
    for (let turn = 0; turn < 5; turn++) {
      expect(await call()).toBe('ok');
      now += MAX_IDLE_MS;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(opened).toBe(1);
  });

  test('that has waited longer by the clock on the wall carries no other, however young it is by the timers', async () => {
    const call = make();
    await call();
    now += MAX_IDLE_MS + 1;
    expect(await call()).toBe('ok');
    expect(opened).toBe(2);
  });
});

test('calls that are under way end on their connection when a later one opens another', async () => {
  const call = fetchWithFreshConnections(clock);
  const first = await call(url);
  now += MAX_IDLE_MS + 1;
  const [second, text] = await Promise.all([call(url), first.text()]);
  expect([text, await second.text()]).toEqual(['ok', 'ok']);
});

test('each origin has its connections', async () => {
  const call = fetchWithFreshConnections(clock);
  await (await call(url)).text();
  await (await call(url.replace('127.0.0.1', 'localhost'))).text();
  now += MAX_IDLE_MS;
  await (await call(url)).text();
  expect(opened).toBe(2);
});
