import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { callProvider, type ProviderCall, retryAfterSeconds, sameSecret } from '../../shared/providers/http.ts';
import { listening } from '../support/loopback.ts';
import { io, NOW } from '../support/providers/kit.ts';

const get = (url: string): ProviderCall => ({ url, method: 'GET', headers: {}, timeoutMs: 1_000 });
const served = async (handle: Parameters<typeof createServer>[1], then: (url: string) => Promise<void>) => {
  const { url, close } = await listening(createServer(handle));
  await then(url);
  await close();
};

it('reports that nothing was sent if a name does not resolve or nothing is listening', async () => {
  const patient = (url: string) => ({ ...get(url), timeoutMs: 10_000 });
  expect(await callProvider(io, patient('http://no-such-host.invalid/'))).toMatchObject({ kind: 'not_sent' });
  let closed = '';
  await served(
    () => undefined,
    async (url) => {
      closed = url;
    },
  );
  expect(await callProvider(io, patient(closed))).toMatchObject({ kind: 'not_sent', detail: 'ECONNREFUSED' });
});

/** A call whose socket fails so, with text and with a form. */
const failing = async (code: string, syscall: string) => {
  const fault = Object.assign(new Error('socket'), { code, syscall });
  const callText = async () => {
    throw fault;
  };
  const fetch = async () => {
    throw new TypeError('fetch failed', { cause: fault });
  };
  const url = 'http://provider.test/';
  const text = await callProvider({ ...io, callText }, get(url));
  expect(await callProvider({ ...io, fetch }, { ...get(url), method: 'POST', body: new FormData() })).toEqual(text);
  return text;
};

it('calls the answer lost after any other error', async () => {
  expect(await failing('ECONNRESET', 'read')).toEqual({ kind: 'lost', detail: 'ECONNRESET' });
});

it('distinguishes a connect that timed out from an answer that timed out', async () => {
  expect(await failing('ETIMEDOUT', 'connect')).toMatchObject({ kind: 'not_sent' });
  expect(await failing('ETIMEDOUT', 'read')).toMatchObject({ kind: 'lost' });
});

it('calls an answer lost that is too long', () =>
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
  const same = [sameSecret('a', 'a'), sameSecret('a', 'b'), sameSecret('a', ''), sameSecret('', '')];
  expect(same).toEqual([true, false, false, true]);
});
