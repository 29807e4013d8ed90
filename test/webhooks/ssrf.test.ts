import { execFile } from 'node:child_process';
import * as https from 'node:https';
import * as net from 'node:net';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { type ConnectionOptions, createConnections } from '../../shared/providers/webhooks/connections.ts';
import { postWebhook } from '../../shared/providers/webhooks/post.ts';
import { use } from '../support/use.ts';
import { connectionsTo, httpsEndpoint, PUBLIC, PUBLIC_V6, tcpEndpoint } from '../support/webhooks/endpoints.ts';
import { DENIED_IPV4, DENIED_IPV6, TRICKS, VECTORS } from './addresses.ts';

const DEPLOYED = { allowLoopbackHttp: false };
const REQUEST = { headers: { 'content-type': 'application/json' }, body: '{}' };
const URL_OF_NAME = 'https://hooks.example.com/';

/** Must stay unreached: it listens on loopback, and every vector has its port. */
const canary = await use(tcpEndpoint((socket) => socket.destroy()));
afterAll(async () => {
  expect(canary.connections()).toBe(0);
});

/** Connections as the service makes them, down to net.connect, with the test's own DNS; records what was resolved and connected to. */
const recorded = (
  answers: () => readonly string[],
  connect = (host: string, port: number) => net.connect({ host, port }),
) => {
  const [resolved, connected]: [string[], string[]] = [[], []];
  const options: Partial<ConnectionOptions> = {
    resolve: async (name) => {
      resolved.push(name);
      return answers();
    },
    connect: (address, port) => {
      connected.push(address);
      return connect(address, port);
    },
  };
  return { resolved, connected, options, connections: createConnections({ ...DEPLOYED, ...options }) };
};
const post = (url: string, connections: ReturnType<typeof createConnections>) =>
  postWebhook({ ...REQUEST, url }, { ...DEPLOYED, connections });
const DENIED = { kind: 'failed', error: 'denied_address' };

describe('a denied address is not reached', () => {
  it(`by any of ${VECTORS.length} spellings in the URL itself`, async () => {
    const { resolved, connected, connections } = recorded(() => ['127.0.0.1']);
    const outcomes = await Promise.all(VECTORS.map(({ host }) => post(`https://${host}:${canary.port}/`, connections)));
    expect(outcomes.filter((outcome) => outcome.kind !== 'failed' || outcome.error !== 'denied_address')).toEqual([]);
    expect({ resolved, connected }).toEqual({ resolved: [], connected: [] });
  });
  it(`by any of ${TRICKS.length} deceptive URLs`, async () => {
    const { resolved, connected, connections } = recorded(() => ['127.0.0.1']);
    for (const trick of TRICKS)
      expect(await post(trick.replace('$', String(canary.port)), connections)).toMatchObject(DENIED);
    expect({ resolved, connected }).toEqual({ resolved: [], connected: [] });
  });
  it('by an address literal that was never checked: the connection checks it again', async () => {
    const { connected, connections } = recorded(() => [PUBLIC]);
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
    expect(connected).toEqual([]);
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
      const { resolved, connected, connections } = recorded(() => answers);
      const outcome = await post(`https://hooks.example.com:${canary.port}/`, connections);
      expect(outcome).toMatchObject({ ...DENIED, detail: 'the host has an address that may not be called' });
      expect({ resolved, connected }).toEqual({ resolved: ['hooks.example.com'], connected: [] });
    }
  });
  it('by a public name that resolves to loopback, even where loopback is allowed', async () => {
    const connections = createConnections({ allowLoopbackHttp: true, resolve: async () => ['127.0.0.1'] });
    const outcome = await postWebhook(
      { ...REQUEST, url: `https://hooks.example.com:${canary.port}/` },
      { allowLoopbackHttp: true, connections },
    );
    expect(outcome).toMatchObject(DENIED);
  });
});

describe('a name that changes its addresses', () => {
  it('is resolved once per connection, and refused as soon as it rebinds', async () => {
    const endpoint = await httpsEndpoint((_, response) => response.setHeader('connection', 'close').end('ok'));
    const rebinds = [...DENIED_IPV4, ...DENIED_IPV6];
    let addresses: readonly string[] = [];
    const answers = () => {
      const now = addresses;
      // A second lookup is led elsewhere.
      addresses = ['127.0.0.1'];
      return now;
    };
    const { resolved, connected, options } = recorded(answers, () => net.connect(endpoint.port, '127.0.0.1'));
    const connections = connectionsTo(endpoint.port, options);
    for (const denied of rebinds) {
      addresses = [PUBLIC];
      expect(await post(URL_OF_NAME, connections)).toMatchObject({ kind: 'answered', body: 'ok' });
      addresses = [denied];
      expect(await post(URL_OF_NAME, connections)).toMatchObject({ error: 'denied_address' });
    }
    expect(resolved).toHaveLength(2 * rebinds.length);
    expect(new Set(connected)).toEqual(new Set([PUBLIC]));
    expect(endpoint.connections()).toBe(rebinds.length);
    connections.close();
    await endpoint.close();
  });
  it.each([301, 302, 303, 307, 308])('is not followed when it redirects by %i to a denied address', async (status) => {
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
      const outcome = await post(URL_OF_NAME, connections);
      expect(outcome).toMatchObject({ kind: 'answered', status, headers: { location } });
      expect({ requests, connections: endpoint.connections() }).toEqual({ requests: 1, connections: 1 });
      connections.close();
      await endpoint.close();
    }
  });
});

it('the environment adds no proxy and disables no verification', async () => {
  const endpoint = await httpsEndpoint((_, response) => response.end('ok'));
  const script = `
    import * as net from 'node:net';
    import { createConnections } from './shared/providers/webhooks/connections.ts';
    import { postWebhook } from './shared/providers/webhooks/post.ts';
    const connected = [];
    const connections = createConnections({
      allowLoopbackHttp: false,
      resolve: async () => ['${PUBLIC}'],
      connect: (address) => (connected.push(address), net.connect(${endpoint.port}, '127.0.0.1')),
    });
    const outcome = await postWebhook({ url: '${URL_OF_NAME}', headers: {}, body: '{}' }, { allowLoopbackHttp: false, connections });
    process.stdout.write(JSON.stringify({ connected, error: outcome.error, detail: outcome.detail }));`;
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
  expect(JSON.parse(stdout)).toEqual({ connected: [PUBLIC], error: 'tls', detail: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  await endpoint.close();
});
