import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { callProvider, type ProviderCall, retryAfterSeconds, sameSecret } from '../../shared/providers/http.ts';
import { io, NOW } from '../support/providers/kit.ts';

const get = (url: string): ProviderCall => ({ url, method: 'GET', headers: {}, timeoutMs: 300 });
const served = async (handle: Parameters<typeof createServer>[1], then: (url: string) => Promise<void>) => {
  const server = createServer(handle);
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  await then(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
};

it('is certain that nothing left when a name does not resolve or nobody listens', async () => {
  const unhurried = (url: string) => ({ ...get(url), timeoutMs: 10_000 });
  expect(await callProvider(io, unhurried('http://no-such-host.invalid/'))).toMatchObject({ kind: 'not_sent' });
  let closed = '';
  await served(
    () => undefined,
    async (url) => {
      closed = url;
    },
  );
  expect(await callProvider(io, unhurried(closed))).toMatchObject({ kind: 'not_sent', detail: 'ECONNREFUSED' });
});

it('is not certain of a fault that it does not know', async () => {
  const fetch = async () => {
    throw new TypeError('fetch failed', {
      cause: Object.assign(new Error('socket'), { code: 'ECONNRESET', syscall: 'read' }),
    });
  };
  expect(await callProvider({ ...io, fetch }, get('http://provider.test/'))).toEqual({
    kind: 'lost',
    detail: 'ECONNRESET',
  });
});

it('tells a connection that timed out from an answer that did', async () => {
  const failing = (syscall: string) => async () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('socket'), { code: 'ETIMEDOUT', syscall }) });
  };
  expect(await callProvider({ ...io, fetch: failing('connect') }, get('http://provider.test/'))).toMatchObject({
    kind: 'not_sent',
  });
  expect(await callProvider({ ...io, fetch: failing('read') }, get('http://provider.test/'))).toMatchObject({
    kind: 'lost',
  });
});

it('cuts an answer that is too long', () =>
  served(
    (_, response) => response.end('x'.repeat(100_000)),
    async (url) => expect(await callProvider(io, get(url))).toMatchObject({ kind: 'lost' }),
  ));

it('holds a dripping answer to the same deadline', () =>
  served(
    (_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 50);
      response.on('close', () => clearInterval(drip));
    },
    async (url) => expect(await callProvider(io, get(url))).toMatchObject({ kind: 'lost', detail: 'TimeoutError' }),
  ));

it('does not follow a redirect', () =>
  served(
    (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
    async (url) => expect(await callProvider(io, get(url))).toMatchObject({ kind: 'answered', status: 307 }),
  ));

it.each([
  ['7', 7],
  [new Date(NOW + 90_000).toUTCString(), 90],
  [new Date(NOW - 90_000).toUTCString(), 0],
  ['soon', undefined],
  ['-1', undefined],
  ['', undefined],
  [null, undefined],
])('reads Retry-After %j as %s seconds', (header, seconds) => {
  const read = retryAfterSeconds(header, NOW);
  if (seconds === undefined) expect(read === undefined || read === 0).toBe(true);
  else expect(read).toBe(seconds);
});

it('compares secrets of any length', () => {
  expect([sameSecret('a', 'a'), sameSecret('a', 'b'), sameSecret('a', ''), sameSecret('', '')]).toEqual([
    true,
    false,
    false,
    true,
  ]);
});
