import { execFile } from 'node:child_process';
import * as https from 'node:https';
import * as net from 'node:net';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { createConnections } from '../../shared/providers/webhooks/connections.ts';
import { postWebhook } from '../../shared/providers/webhooks/post.ts';
import { use } from '../support/use.ts';
import { DENIED_IPV4, DENIED_IPV6, TRICKS, VECTORS } from '../support/webhooks/addresses.ts';
import { connectionsTo, httpsEndpoint, PUBLIC, PUBLIC_V6, tcpEndpoint } from '../support/webhooks/endpoints.ts';

const DEPLOYED = { allowLoopbackHttp: false };
const REQUEST = { headers: { 'content-type': 'application/json' }, body: '{}' };
const URL_OF_NAME = 'https://hooks.example.com/';

/** What must stay unreached: it listens on loopback, and every vector carries its port. */
const canary = await use(tcpEndpoint((socket) => socket.destroy()));
afterAll(async () => {
  expect(canary.connections()).toBe(0);
});

/** Connections as the service makes them, down to net.connect, with a DNS of the test's own that says where they went. */
const watched = (answers: () => readonly string[]) => {
  const asked: string[] = [];
  const went: string[] = [];
  const connections = createConnections({
    ...DEPLOYED,
    resolve: async (name) => {
      asked.push(name);
      return answers();
    },
    connect: (address, port) => {
      went.push(address);
      return net.connect({ host: address, port });
    },
  });
  return { asked, went, connections };
};

describe('what may not be called is not reached', () => {
  it(`by any of ${VECTORS.length} spellings in the address itself`, async () => {
    const { asked, went, connections } = watched(() => ['127.0.0.1']);
    const outcomes = await Promise.all(
      VECTORS.map(({ host }) =>
        postWebhook({ ...REQUEST, url: `https://${host}:${canary.port}/` }, { ...DEPLOYED, connections }),
      ),
    );
    expect(outcomes.filter((outcome) => outcome.kind !== 'failed' || outcome.error !== 'denied_address')).toEqual([]);
    expect({ asked, went }).toEqual({ asked: [], went: [] });
  });
  it(`by any of ${TRICKS.length} addresses that look like another`, async () => {
    const { asked, went, connections } = watched(() => ['127.0.0.1']);
    for (const trick of TRICKS) {
      const url = trick.replace('$', String(canary.port));
      expect(await postWebhook({ ...REQUEST, url }, { ...DEPLOYED, connections })).toMatchObject({
        kind: 'failed',
        error: 'denied_address',
      });
    }
    expect({ asked, went }).toEqual({ asked: [], went: [] });
  });
  it('by a literal that was never checked: the connection checks it again', async () => {
    const { went, connections } = watched(() => [PUBLIC]);
    const outcomes = await Promise.all(
      [...DENIED_IPV4, ...DENIED_IPV6, ...DENIED_IPV4.map((ip) => `::ffff:${ip}`)].map(
        (host) =>
          new Promise((resolve) => {
            const request = https.request({ agent: connections.agent('https:', false), host, port: canary.port });
            request.on('error', (fault) => resolve('error' in fault ? fault.error : fault)).end();
          }),
      ),
    );
    expect(new Set(outcomes)).toEqual(new Set(['denied_address']));
    expect(went).toEqual([]);
  });
  it.each([
    ...DENIED_IPV4,
    ...DENIED_IPV6,
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    'fe80::1%lo',
    '127.1',
    '2130706433',
    '0x7f000001',
    'localhost',
    '',
  ])('by a name that resolves to %j, alone or among public addresses', async (denied) => {
    for (const answers of [
      [denied],
      [PUBLIC, denied],
      [denied, PUBLIC],
      [PUBLIC, PUBLIC_V6, PUBLIC, PUBLIC_V6, denied],
    ]) {
      const { asked, went, connections } = watched(() => answers);
      const outcome = await postWebhook(
        { ...REQUEST, url: `https://hooks.example.com:${canary.port}/` },
        { ...DEPLOYED, connections },
      );
      expect(outcome).toMatchObject({
        kind: 'failed',
        error: 'denied_address',
        detail: 'the host has an address that may not be called',
      });
      expect({ asked, went }).toEqual({ asked: ['hooks.example.com'], went: [] });
    }
  });
  it('by a public name that resolves to loopback, even where loopback is allowed', async () => {
    const connections = createConnections({ allowLoopbackHttp: true, resolve: async () => ['127.0.0.1'] });
    const outcome = await postWebhook(
      { ...REQUEST, url: `https://hooks.example.com:${canary.port}/` },
      { allowLoopbackHttp: true, connections },
    );
    expect(outcome).toMatchObject({ kind: 'failed', error: 'denied_address' });
  });
});

describe('a name that changes its answer', () => {
  it('is resolved once per connection, and refused as soon as it rebinds', async () => {
    const endpoint = await httpsEndpoint((_, response) => response.setHeader('connection', 'close').end('ok'));
    const rebinds = [...DENIED_IPV4, ...DENIED_IPV6];
    let answer: readonly string[] = [];
    let asked = 0;
    const went: string[] = [];
    const connections = connectionsTo(endpoint.port, {
      resolve: async () => {
        asked++;
        const now = answer;
        // Whoever asks again is led elsewhere.
        answer = ['127.0.0.1'];
        return now;
      },
      connect: (address) => {
        went.push(address);
        return net.connect(endpoint.port, '127.0.0.1');
      },
    });
    for (const denied of rebinds) {
      answer = [PUBLIC];
      expect(await postWebhook({ ...REQUEST, url: URL_OF_NAME }, { ...DEPLOYED, connections })).toMatchObject({
        kind: 'answered',
        body: 'ok',
      });
      answer = [denied];
      expect(await postWebhook({ ...REQUEST, url: URL_OF_NAME }, { ...DEPLOYED, connections })).toMatchObject({
        error: 'denied_address',
      });
    }
    expect(asked).toBe(2 * rebinds.length);
    expect(new Set(went)).toEqual(new Set([PUBLIC]));
    expect(endpoint.connections()).toBe(rebinds.length);
    connections.close();
    await endpoint.close();
  });
  it.each([301, 302, 303, 307, 308])('is not followed when it answers %i to a denied address', async (status) => {
    const targets = [
      'http://169.254.169.254/latest/meta-data/',
      `https://127.0.0.1:${canary.port}/`,
      '//[::1]/',
      '/elsewhere',
    ];
    for (const location of targets) {
      let requests = 0;
      const endpoint = await httpsEndpoint((_, response) => {
        requests++;
        response.writeHead(status, { location }).end();
      });
      const connections = connectionsTo(endpoint.port);
      const outcome = await postWebhook({ ...REQUEST, url: URL_OF_NAME }, { ...DEPLOYED, connections });
      expect(outcome).toMatchObject({ kind: 'answered', status, headers: { location } });
      expect({ requests, connections: endpoint.connections() }).toEqual({ requests: 1, connections: 1 });
      connections.close();
      await endpoint.close();
    }
  });
});

describe('the environment', () => {
  it('adds no proxy and switches no verification off', async () => {
    const endpoint = await httpsEndpoint((_, response) => response.end('ok'));
    const script = `
      import * as net from 'node:net';
      import { createConnections } from './shared/providers/webhooks/connections.ts';
      import { postWebhook } from './shared/providers/webhooks/post.ts';
      const went = [];
      const connections = createConnections({
        allowLoopbackHttp: false,
        resolve: async () => ['${PUBLIC}'],
        connect: (address) => (went.push(address), net.connect(${endpoint.port}, '127.0.0.1')),
      });
      const outcome = await postWebhook({ url: '${URL_OF_NAME}', headers: {}, body: '{}' }, { allowLoopbackHttp: false, connections });
      process.stdout.write(JSON.stringify({ went, error: outcome.error, detail: outcome.detail }));`;
    const proxy = `http://127.0.0.1:${canary.port}`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--no-warnings', '--input-type=module', '-e', script],
      {
        env: {
          ...process.env,
          NODE_USE_ENV_PROXY: '1',
          NODE_TLS_REJECT_UNAUTHORIZED: '0',
          HTTPS_PROXY: proxy,
          HTTP_PROXY: proxy,
          https_proxy: proxy,
          ALL_PROXY: proxy,
          NO_PROXY: '',
        },
      },
    );
    expect(JSON.parse(stdout)).toEqual({ went: [PUBLIC], error: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    await endpoint.close();
  });
});
