import type { IncomingMessage, ServerResponse } from 'node:http';
import * as net from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { ConnectionOptions } from '../../shared/providers/webhooks/connections.ts';
import {
  httpEndpoint,
  httpsEndpoint,
  PUBLIC,
  PUBLIC_V6,
  rawTlsEndpoint,
  tcpEndpoint,
} from '../support/webhooks/endpoints.ts';
import { answering, client, NAME, OK } from './client.ts';

describe('a post', () => {
  it('carries its headers and body under the host name of the URL, and accepts no compression', async () => {
    const received: unknown[] = [];
    const record = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const { method, url, headers, socket } = request;
      const sni = 'servername' in socket && socket.servername;
      received.push({ method, url, headers, sni, body: await text(request) });
      response.setHeader('x-a', ['1', '2']).writeHead(202, { 'retry-after': '7' }).end('done');
    };
    const post = client(await httpsEndpoint((request, response) => void record(request, response)));
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': 'evt_1',
      Host: 'evil.example',
      'Transfer-Encoding': 'chunked',
      connection: 'upgrade',
      expect: '100-continue',
    };
    expect(await post({ headers, body: '{"é":1}' })).toEqual({
      kind: 'answered',
      status: 202,
      headers: expect.objectContaining({ 'retry-after': '7', 'x-a': '1, 2' }),
      body: 'done',
      durationMs: expect.any(Number),
    });
    expect(received).toEqual([
      {
        method: 'POST',
        url: '/in?a=1',
        sni: 'hooks.example.com',
        body: '{"é":1}',
        headers: {
          host: 'hooks.example.com',
          connection: 'keep-alive',
          'content-type': 'application/json',
          'webhook-id': 'evt_1',
          'accept-encoding': 'identity',
          'content-length': '8',
        },
      },
    ]);
  });
  it('goes to loopback by plain http where that is allowed', async () => {
    const endpoint = await httpEndpoint((request, response) => response.end(request.headers.host));
    const post = client(endpoint, {
      allowLoopbackHttp: true,
      connect: (host, port) => net.connect({ host, port }),
      resolve: async () => ['127.0.0.1'],
    });
    for (const host of ['127.0.0.1', '0x7f.1', 'localhost'])
      expect(await post({ url: `http://${host}:${endpoint.port}/` })).toMatchObject({
        kind: 'answered',
        body: expect.stringContaining(`:${endpoint.port}`),
      });
    expect(await post({ url: 'http://10.0.0.1/' })).toMatchObject({ error: 'denied_address' });
  });
  it.each([`https://${PUBLIC}/`, `https://[${PUBLIC_V6}]/`])(
    'goes to an address literal that the certificate names: %s',
    async (url) => {
      const post = client(await httpsEndpoint((request, response) => response.end(request.headers.host)), {
        resolve: () => Promise.reject(new Error('resolved')),
      });
      expect(await post({ url })).toMatchObject({ kind: 'answered', body: new URL(url).host });
    },
  );
  it('connects to the next checked address when one refuses', async () => {
    const endpoint = await httpsEndpoint((_, response) => response.end('ok'));
    const closed = await tcpEndpoint(() => {});
    await closed.close();
    const connected: string[] = [];
    const connect = (address: string) => {
      connected.push(address);
      return net.connect(address === PUBLIC ? endpoint.port : closed.port, '127.0.0.1');
    };
    const post = client(endpoint, { resolve: async () => [PUBLIC_V6, PUBLIC], connect });
    expect(await post()).toMatchObject({ kind: 'answered' });
    expect(connected).toEqual([PUBLIC_V6, PUBLIC]);
  });
  it('never throws, whatever the request', async () => {
    const post = client(await answering(`${OK}\r\n`));
    expect(await post({ headers: { 'a b': 'x' } })).toMatchObject({ kind: 'failed', error: 'connect' });
    expect(await post({ headers: { a: 'x\r\nb: y' } })).toMatchObject({ kind: 'failed', error: 'connect' });
    expect(await post({ url: '' })).toMatchObject({ kind: 'failed', error: 'denied_address' });
  });
});

describe('connections', () => {
  const counting = (keepAliveTimeout = 60_000) =>
    httpsEndpoint((request, response) => request.resume().on('end', () => response.end('ok')), { keepAliveTimeout });
  it('are reused: posts to one endpoint share one, and resolve once', async () => {
    const endpoint = await counting();
    const resolve = vi.fn(async () => [PUBLIC]);
    const post = client(endpoint, { resolve });
    for (let index = 0; index < 20; index++) expect(await post()).toMatchObject({ kind: 'answered', body: 'ok' });
    expect(resolve).toHaveBeenCalledOnce();
    expect(endpoint.connections()).toBe(1);
  });
  it('are not shared between names, even of one address', async () => {
    const endpoint = await counting();
    const post = client(endpoint);
    await post();
    await post({ url: 'https://other.hooks.example.com/' });
    expect(endpoint.connections()).toBe(2);
  });
  it('of one endpoint stay idle up to sixteen', async () => {
    const endpoint = await counting();
    const post = client(endpoint);
    const burst = () => Promise.all(Array.from({ length: 20 }, () => post()));
    await burst();
    const opened = endpoint.connections();
    await pause(50);
    await burst();
    expect({ opened, again: endpoint.connections() - opened }).toEqual({ opened: 20, again: 4 });
  });
  it('of all endpoints stay idle up to a limit, beyond which the oldest is closed', async () => {
    const endpoint = await counting();
    const post = client(endpoint, { maxIdle: 2 });
    const to = (name: string) => post({ url: `https://${name}.hooks.example.com/` });
    for (const name of ['a', 'b', 'c']) await to(name);
    await pause(50);
    for (const name of ['c', 'b']) await to(name);
    expect(endpoint.connections()).toBe(3);
    await to('a');
    expect(endpoint.connections()).toBe(4);
  });
  it('are closed after idling', async () => {
    const endpoint = await counting();
    const post = client(endpoint, { idleMs: 100 });
    await post();
    await pause(400);
    await post();
    expect(endpoint.connections()).toBe(2);
  });
  it('that were closed while idle are replaced: the post is sent again over a new one', async () => {
    let requests = 0;
    const endpoint = await rawTlsEndpoint((socket) => {
      // Answers the first request of a connection, and resets at the second.
      requests++;
      if (socket.listenerCount('answered')) return void socket.destroy();
      socket.on('answered', () => {});
      socket.write(`${OK}content-length: 2\r\n\r\nok`);
    });
    const post = client(endpoint);
    for (let index = 0; index < 3; index++) expect(await post()).toMatchObject({ kind: 'answered', body: 'ok' });
    expect(endpoint.connections()).toBeGreaterThan(1);
    expect(requests).toBeLessThanOrEqual(5);
  });
});

describe('an endpoint that does not connect', () => {
  const connectMs = 200;
  it('ends as dns when its name has no address or is not found, and as timeout when the lookup hangs', async () => {
    const post = async (resolve: ConnectionOptions['resolve'] & {}) =>
      client(await answering(''), { resolve, connectMs })();
    expect(await post(async () => [])).toMatchObject({ error: 'dns' });
    const notFound = Object.assign(new Error('x 10.0.0.1'), { code: 'ENOTFOUND' });
    expect(await post(() => Promise.reject(notFound))).toMatchObject({ error: 'dns', detail: 'ENOTFOUND' });
    expect(await post(() => new Promise(() => {}))).toMatchObject({ error: 'timeout' });
  });
  it('ends as connect when it refuses, without its address in the detail', async () => {
    const closed = await tcpEndpoint(() => {});
    await closed.close();
    const outcome = await client(await answering(''), { connect: () => net.connect(closed.port, '127.0.0.1') })();
    expect(outcome).toMatchObject({ kind: 'failed', error: 'connect', detail: 'ECONNREFUSED' });
  });
  it('ends as failed, without a crash, when it resets around the end of the handshake', async () => {
    const endpoint = await httpsEndpoint(() => {});
    const resets = [0, 1, 2, 3].flatMap((wait) => Array.from({ length: 25 }, () => wait));
    const connectAndReset = (wait: number) => () => {
      const socket = net.connect(endpoint.port, '127.0.0.1');
      socket.once('connect', () => setTimeout(() => socket.resetAndDestroy(), 5 * wait));
      return socket;
    };
    const outcomes = await Promise.all(resets.map((wait) => client(endpoint, { connect: connectAndReset(wait) })()));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['failed']));
  });
  it('ends as timeout when its TLS hangs, within the time to connect', async () => {
    const outcome = await client(await tcpEndpoint(() => {}), { connectMs })();
    expect(outcome).toMatchObject({ error: 'timeout' });
    // Without the setting it would be 5 s.
    expect(outcome.durationMs).toBeLessThan(5_000);
  });
  it.each([
    ['another name', 'https://other.example.com/', {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['another address', 'https://93.184.216.35/', {}, 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['an untrusted issuer', NAME, { ca: undefined }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ])('ends as tls when its certificate is of %s', async (_, url, { ...trust }, detail) => {
    let requests = 0;
    const endpoint = await httpsEndpoint(() => void requests++);
    const post = client(endpoint, trust as Partial<ConnectionOptions>);
    expect(await post({ url })).toMatchObject({ kind: 'failed', error: 'tls', detail });
    expect(requests).toBe(0);
  });
  it('ends as tls when it speaks another protocol or an old version, or resets', async () => {
    const plain = client(await tcpEndpoint((socket) => void socket.end('SSH-2.0-x\r\n')));
    const reset = client(await tcpEndpoint((socket) => void socket.once('data', () => socket.resetAndDestroy())));
    const old = client(
      await httpsEndpoint(() => {}, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' }),
    );
    for (const post of [plain, reset, old]) expect(await post()).toMatchObject({ kind: 'failed', error: 'tls' });
  });
});

describe('an endpoint that never finishes', () => {
  const timeoutMs = 300;
  const drip = (head: string) =>
    rawTlsEndpoint((socket) => {
      socket.write(head);
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      socket.on('close', () => clearInterval(timer));
    });
  it.each([
    ['sends nothing', () => rawTlsEndpoint(() => {})],
    ['sends half of its headers', () => answering(`${OK}x-a: `, false)],
    ['drips its body', () => drip(`${OK}transfer-encoding: chunked\r\n\r\n`)],
    ['promises more than it sends', () => answering(`${OK}content-length: 10\r\n\r\nabc`, false)],
  ])('ends as timeout when it %s: the time covers the body', async (_, make) => {
    const outcome = await client(await make())({ timeoutMs });
    expect(outcome).toMatchObject({ kind: 'failed', error: 'timeout' });
    // A timer counts from the beginning of the loop's turn: on a loaded machine it is early by the length of one.
    expect(outcome.durationMs).toBeGreaterThanOrEqual(timeoutMs / 2);
    // Without the setting it would be 15 s.
    expect(outcome.durationMs).toBeLessThan(15_000);
  });
  it('is reported once as slow; one that answers in time is not', async () => {
    const reported: string[] = [];
    const slow = (name: string, afterMs: number) => ({ slow: { afterMs, call: () => void reported.push(name) } });
    await client(await rawTlsEndpoint(() => {}))({ timeoutMs, ...slow('hung', 50) });
    const healthy = client(await httpsEndpoint((_, response) => response.end('ok')));
    // One that a loaded machine answers late is slow, and says nothing of those that are in time.
    const late: string[] = [];
    for (let nth = 0; late.length === nth; nth++) {
      const { durationMs } = await healthy(slow(`healthy ${nth}`, 250));
      if (durationMs >= 200) late.push(`healthy ${nth}`);
    }
    await pause(300);
    expect(reported.filter((name) => !late.includes(name))).toEqual(['hung']);
  });
  it('delays no other endpoint', async () => {
    const held: { destroy(): unknown }[] = [];
    let over = false;
    const hung = client(
      await rawTlsEndpoint((socket) => {
        if (over) socket.destroy();
        else held.push(socket);
      }),
    );
    const healthy = client(await httpsEndpoint((_, response) => response.end('ok')));
    // A healthy post that waited for these would exceed its own time.
    const waiting = Array.from({ length: 50 }, () => hung({ timeoutMs: 20_000 }));
    for (let index = 0; index < 20; index++) {
      const outcome = await healthy({ timeoutMs: 15_000 });
      expect(outcome).toMatchObject({ kind: 'answered' });
    }
    over = true;
    for (const socket of held) socket.destroy();
    expect(new Set((await Promise.all(waiting)).map((outcome) => outcome.kind))).toEqual(new Set(['failed']));
  });
});
