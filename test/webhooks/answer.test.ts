import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { httpsEndpoint } from '../support/webhooks/endpoints.ts';
import { answering, client, OK } from './client.ts';

const KB = 1024;

describe('a response', () => {
  it('is cut at 16 KB, and the rest is not read', async () => {
    let sent = 0;
    let isOver = false;
    const endpoint = await httpsEndpoint((_, response) => {
      response.on('close', () => (isOver = true));
      const more = () => {
        for (let room = true; room && !response.destroyed; sent += 64 * KB) room = response.write('x'.repeat(64 * KB));
      };
      response.on('drain', more);
      more();
    });
    const outcome = await client(endpoint)();
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, body: 'x'.repeat(16 * KB) });
    // The endpoint may still send the data in flight, until its connection is closed.
    await vi.waitFor(() => expect(isOver).toBe(true), PATIENCE);
    expect(sent).toBeLessThan(64 * KB * KB);
  });
  it('of exactly 16 KB is complete, and its connection is reused', async () => {
    const endpoint = await httpsEndpoint((_, response) => response.end('y'.repeat(16 * KB)));
    const post = client(endpoint);
    for (let index = 0; index < 3; index++) expect(await post()).toMatchObject({ body: 'y'.repeat(16 * KB) });
    expect(endpoint.connections()).toBe(1);
  });
  it.each([
    ['gzip', gzipSync(Buffer.alloc(10 * KB * KB))],
    ['br', brotliCompressSync(Buffer.alloc(10 * KB * KB))],
  ])('that is a %s bomb is not decompressed', async (encoding, bomb) => {
    const outcome = await client(
      await httpsEndpoint((_, response) => response.setHeader('content-encoding', encoding).end(bomb)),
    )();
    expect(outcome).toMatchObject({ kind: 'answered', status: 200, headers: { 'content-encoding': encoding } });
    expect(outcome.kind === 'answered' && Buffer.byteLength(outcome.body)).toBeLessThanOrEqual(16 * KB);
  });
  it.each([
    ['half a character at the cut', Buffer.from('é'.repeat(8 * KB + 5)).subarray(1), 16 * KB],
    ['bytes that are not UTF-8', Buffer.alloc(20 * KB, 0xff), 16 * KB],
    ['a few bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0x62]), 5],
  ])('with %s becomes well-formed text of at most 16 KB', async (_, bytes, maxBytes) => {
    const outcome = await client(await httpsEndpoint((__, response) => response.end(bytes)))();
    if (outcome.kind !== 'answered') throw new Error(outcome.detail);
    expect(Buffer.byteLength(outcome.body)).toBeLessThanOrEqual(maxBytes);
    expect(Buffer.byteLength(outcome.body)).toBeGreaterThan(maxBytes - 4);
    expect(outcome.body.isWellFormed()).toBe(true);
  });
  it('keeps at most 64 headers and 8 KB of them, retry-after always among them', async () => {
    const lines = (count: number, size: number) =>
      Array.from({ length: count }, (_, index) => `x-${index}: ${'v'.repeat(size)}\r\n`).join('');
    const post = async (head: string) =>
      client(await answering(`${OK}${head}retry-after: 9\r\ncontent-length: 0\r\n\r\n`))();
    for (const head of [lines(100, 1), lines(12, KB), '__proto__: x\r\n']) {
      const outcome = await post(head);
      if (outcome.kind !== 'answered') throw new Error(outcome.detail);
      expect(Object.hasOwn(outcome.headers, '__proto__')).toBe(head.startsWith('__proto__'));
      expect(outcome.headers['retry-after']).toBe('9');
      expect(Object.keys(outcome.headers).length).toBeLessThanOrEqual(65);
      expect(Object.entries(outcome.headers).flat().join('').length).toBeLessThanOrEqual(8 * KB + 100);
    }
  });
  it.each([
    ['not HTTP', 'hello\r\n\r\n'],
    ['a header with NUL', `${OK}x: a\0b\r\n\r\n`],
    ['a header without a colon', `${OK}broken\r\n\r\n`],
    ['two lengths', `${OK}content-length: 1\r\ncontent-length: 2\r\n\r\nab`],
    ['a length and chunks', `${OK}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['endless headers', `${OK}${'x: y\r\n'.repeat(10_000)}`],
    ['a broken chunk', `${OK}transfer-encoding: chunked\r\n\r\nzz\r\n`],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'],
    ['endless interim responses', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(50)],
  ])('that is %s ends as bad_answer', async (_, text) => {
    expect(await client(await answering(text))()).toMatchObject({ kind: 'failed', error: 'bad_answer' });
  });
  it.each([
    ['before it begins', ''],
    ['inside its headers', `${OK}x-a: 1`],
    ['inside its body', `${OK}content-length: 10\r\n\r\nabc`],
    ['inside its chunks', `${OK}transfer-encoding: chunked\r\n\r\n5\r\nab`],
  ])('that breaks off %s ends as reset', async (_, text) => {
    expect(await client(await answering(text))()).toMatchObject({ kind: 'failed', error: 'reset' });
  });
  it.each([200, 204, 400, 404, 410, 429, 500, 503])('of %i is reported as it is', async (status) => {
    expect(await client(await httpsEndpoint((_, response) => response.writeHead(status).end()))()).toMatchObject({
      kind: 'answered',
      status,
      body: '',
    });
  });
});
