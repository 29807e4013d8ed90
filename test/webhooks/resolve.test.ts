import { describe, expect, it } from 'vitest';
import { postWebhook } from '../../shared/providers/webhooks/post.ts';
import { createResolve } from '../../shared/providers/webhooks/resolve.ts';
import { type Answer, nameServer } from '../support/name-server.ts';
import { use } from '../support/use.ts';
import { connectionsTo, httpsEndpoint } from '../support/webhooks/endpoints.ts';

const NAMES: Readonly<Record<string, Answer>> = {
  'both.example.com': { a: ['93.184.216.34', '93.184.216.35'], aaaa: ['2606:2800:220:1:0:0:0:1'] },
  'old.example.com': { a: ['93.184.216.34'] },
  'new.example.com': { aaaa: ['2606:2800:220:1:0:0:0:1'] },
  'empty.example.com': {},
  'mixed.example.com': { a: ['93.184.216.34'], aaaa: ['0:0:0:0:0:0:0:1'] },
  'mapped.example.com': { a: ['93.184.216.34'], aaaa: ['0:0:0:0:0:ffff:7f00:1'] },
  'metadata.example.com': { a: ['169.254.169.254'] },
  'silent.example.com': 'silent',
};

const server = await use(nameServer((name) => (name.startsWith('silent') ? 'silent' : (NAMES[name] ?? 'none'))));
const endpoint = await use(httpsEndpoint((_, response) => response.end('ok')));
const resolve = (name: string) => createResolve([server.server])(name);

describe('a name', () => {
  it('has its addresses of both families', async () => {
    expect(await resolve('both.example.com')).toEqual(['93.184.216.34', '93.184.216.35', '2606:2800:220:1::1']);
    expect(await resolve('old.example.com')).toEqual(['93.184.216.34']);
    expect(await resolve('new.example.com')).toEqual(['2606:2800:220:1::1']);
  });
  it.each([
    ['empty.example.com', 'ENODATA'],
    ['absent.example.com', 'ENOTFOUND'],
  ])('%s without addresses is an error: %s', async (name, code) => {
    await expect(resolve(name)).rejects.toMatchObject({ code });
  });
  it('of the hosts file is not sent to a name server', async () => {
    const before = server.queries.length;
    expect((await resolve('localhost')).every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(server.queries.length).toBe(before);
  });
  it('whose server does not answer delays no other, and fails within the time to connect', async () => {
    const from = performance.now();
    let failed = 0;
    const silent = Array.from({ length: 50 }, (_, index) =>
      resolve(`silent${index}.example.com`).finally(() => {
        failed += 1;
      }),
    );
    const ended = Promise.allSettled(silent);
    await Promise.all(Array.from({ length: 50 }, () => resolve('both.example.com')));
    // An order, not a duration: it holds on a slow machine too.
    expect(failed).toBe(0);
    expect(new Set((await ended).map(({ status }) => status))).toEqual(new Set(['rejected']));
    // Up to five times 0.8 s, with room for a loaded machine.
    expect(performance.now() - from).toBeLessThan(30_000);
  });
  it.each(['mixed.example.com', 'mapped.example.com', 'metadata.example.com'])(
    'that resolves to a denied address is refused: %s',
    async (name) => {
      const connections = connectionsTo(endpoint.port, { resolve });
      const outcome = await postWebhook(
        { url: `https://${name}/`, headers: {}, body: '' },
        { allowLoopbackHttp: false, connections },
      );
      expect(outcome).toMatchObject({ kind: 'failed', error: 'denied_address' });
      expect(endpoint.connections()).toBe(0);
    },
  );
});
