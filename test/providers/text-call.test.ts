import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, expect, it, vi } from 'vitest';
import { systemClock } from '../../shared/domain/core/time.ts';
import { callProvider, type ProviderCall } from '../../shared/providers/http.ts';
import { textCalls } from '../../shared/providers/text-call.ts';
import { fc } from '../support/fast-check.ts';
import { listening } from '../support/loopback.ts';
import { PATIENCE } from '../support/patience.ts';
import { io } from '../support/providers/kit.ts';
import { use } from '../support/use.ts';
import { httpsEndpoint, tcpEndpoint, trustCert } from '../support/webhooks/endpoints.ts';

afterEach(() => void vi.useRealTimers());

type Received = Pick<IncomingMessage, 'method' | 'url' | 'headers'> & { readonly body: string };
const received: Received[] = [];
let answer: { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
const server = createServer((request, response) => {
  void buffer(request).then((body) => {
    const { method, url, headers } = request;
    received.push({ method, url, headers, body: body.toString('utf8') });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
});
const { url } = await use(listening(server));
const call = (over: Partial<ProviderCall> = {}): ProviderCall => ({
  url,
  method: 'POST',
  headers: {},
  timeoutMs: 60_000,
  ...over,
});

/** Headers of Node's `fetch` that say how a page of a browser would be read. */
const OF_BROWSERS = ['accept-language', 'sec-fetch-mode', 'accept-encoding'];
const comparable = ({ headers, ...request }: Received) => ({
  ...request,
  headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_BROWSERS.includes(name))),
});

it('sends what `fetch` sends, and reads what it reads', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'DELETE'),
      fc.webPath(),
      fc.dictionary(fc.constantFrom('Authorization', 'Content-Type', 'X-Own'), fc.stringMatching(/^[!-~]{1,20}$/)),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(200, 202, 302, 400, 429, 500),
      async (method, path, headers, text, status) => {
        answer = { status, headers: { 'retry-after': '7', 'X-Case': 'a, b' }, body: text };
        const body = method === 'POST' ? text : undefined;
        const target = new URL(`${url}/v1${path}`).href;
        const ours = await textCalls(systemClock)({
          url: target,
          method,
          headers,
          body,
          timeoutMs: 60_000,
          maxBytes: 10_000,
        });
        const request: RequestInit = { method, headers, redirect: 'manual' };
        if (body !== undefined) request.body = body;
        const theirs = await fetch(target, request);
        expect({ ...ours, headers: ['Retry-After', 'x-case', 'none'].map(ours.headers.get) }).toEqual({
          status: theirs.status,
          body: await theirs.text(),
          headers: ['retry-after', 'x-case', 'none'].map((name) => theirs.headers.get(name)),
        });
        const [sent, same] = received.slice(-2).map((request) => comparable(request as Received));
        expect(sent).toEqual(same);
      },
    ),
    { numRuns: 60 },
  ));

it('asks for answers that are not compressed: it would not decompress them', async () => {
  answer = { status: 200, headers: {}, body: '' };
  await callProvider(io, call());
  expect(received.at(-1)?.headers['accept-encoding']).toBe('identity');
});

it('reads an answer in parts, characters that they divide included, up to its limit in bytes', async () => {
  const whole = Buffer.from('ação');
  const parting = await use(
    listening(
      createServer((_, response) => {
        response.write(whole.subarray(0, 2));
        setTimeout(() => response.end(whole.subarray(2)), 50);
      }),
    ),
  );
  const read = (maxBytes: number) => callProvider(io, call({ url: parting.url, method: 'GET', maxBytes }));
  expect(await read(whole.byteLength)).toMatchObject({ kind: 'answered', body: 'ação' });
  expect(await read(whole.byteLength - 1)).toEqual({ kind: 'lost', detail: 'RangeError' });
});

it('leaves neither a timer nor, if it failed, a connection behind', async () => {
  const closed: Promise<unknown>[] = [];
  const ending = async (head: string) => {
    const endpoint = await tcpEndpoint((socket) => {
      closed.push(new Promise((resolve) => socket.once('close', resolve)));
      socket.once('data', () => socket.write(head));
    });
    return use(endpoint);
  };
  const whole = await ending('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
  const long = await ending(`HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n${'x'.repeat(50)}`);
  const other = await ending('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
  const gone = await tcpEndpoint(() => undefined);
  await gone.close();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const calling = ({ port }: { port: number }) =>
    callProvider(io, call({ url: `http://127.0.0.1:${port}`, maxBytes: 40 }));
  expect(await calling(whole)).toMatchObject({ kind: 'answered', body: 'ok' });
  expect(await calling(long)).toEqual({ kind: 'lost', detail: 'RangeError' });
  expect(await calling(other)).toMatchObject({ kind: 'lost' });
  expect(await calling(gone)).toMatchObject({ kind: 'not_sent', detail: 'ECONNREFUSED' });
  await Promise.all(closed.slice(1));
  expect(closed).toHaveLength(3);
  // The socket that was refused reports that it is closed after its error.
  await expect.poll(() => vi.getTimerCount(), PATIENCE).toBe(0);
});

it('gives an answer on a connection that is used again as long as on a new one', async () => {
  const ports: (number | undefined)[] = [];
  let held: ServerResponse | undefined;
  const slow = await use(
    listening(
      createServer((request, response) => {
        ports.push(request.socket.remotePort);
        if (ports.length === 1) response.end('ok');
        else held = response;
      }),
    ),
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const target = call({ url: slow.url, method: 'GET' });
  expect(await callProvider(io, target)).toMatchObject({ kind: 'answered', body: 'ok' });
  await new Promise((resolve) => setImmediate(resolve));
  const second = callProvider(io, target);
  while (!held) await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(10_000);
  held.end('late');
  expect(await second).toMatchObject({ kind: 'answered', body: 'late' });
  expect(new Set(ports).size).toBe(1);
});

it('sends a request once, whatever becomes of it', async () => {
  let requests = 0;
  const breaking = await use(
    listening(
      createServer((request) => {
        requests += 1;
        request.socket.destroy();
      }),
    ),
  );
  expect(await callProvider(io, call({ url: breaking.url, body: '{}' }))).toEqual({
    kind: 'lost',
    detail: 'ECONNRESET',
  });
  expect(requests).toBe(1);
});

it('calls an answer lost that breaks off, and one that is another protocol', async () => {
  const heads = [
    'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{',
    'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'nonsense\r\n\r\n',
  ];
  for (const head of heads) {
    const broken = await use(tcpEndpoint((socket) => void socket.once('data', () => socket.end(head))));
    const target = call({ url: `http://127.0.0.1:${broken.port}` });
    expect(await callProvider(io, target)).toMatchObject({ kind: 'lost' });
  }
});

it('reports that nothing was sent over TLS to a server that it does not trust, and uses a connection to a trusted one again', async () => {
  const secure = await use(httpsEndpoint((_, response) => response.end('ok')));
  const target = call({ url: `https://localhost:${secure.port}/` });
  expect(await callProvider(io, target)).toMatchObject({ kind: 'not_sent', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  trustCert();
  const trusting = { ...io, callText: textCalls(systemClock) };
  for (let turn = 0; turn < 3; turn++)
    expect(await callProvider(trusting, target)).toMatchObject({ kind: 'answered', status: 200, body: 'ok' });
  expect(secure.connections()).toBe(2);
});

it('reports that nothing was sent if a connection is not secure in time, and waits for an answer on one that is open', async () => {
  const firstBytes: Promise<unknown>[] = [];
  const silent = await use(tcpEndpoint((socket) => void firstBytes.push(once(socket, 'data'))));
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const calls = ['https', 'http'].map((protocol) =>
    callProvider(io, call({ url: `${protocol}://127.0.0.1:${silent.port}` })),
  );
  while (firstBytes.length < 2) await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(firstBytes);
  vi.advanceTimersByTime(10_000);
  expect(await calls[0]).toEqual({ kind: 'not_sent', detail: 'ETIMEDOUT' });
  vi.advanceTimersByTime(50_000);
  expect(await calls[1]).toEqual({ kind: 'lost', detail: 'TimeoutError' });
});
