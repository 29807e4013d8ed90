import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startObjectStore } from '../../infra/local/object-store.ts';
import { isSigned } from '../../infra/local/signed-request.ts';
import { uploadBucket } from '../../shared/storage/whatsapp/media-bucket.ts';
import { tempDir } from '../support/local-stack.ts';
import { PATIENCE } from '../support/patience.ts';

const folder = await tempDir();
const CONSOLE = 'https://console.example';
const engine = await startObjectStore(folder, [CONSOLE]);
const bucket = uploadBucket('messaging-test-uploads', engine.endpoint);
afterAll(() => engine.stop());

const BYTES = Buffer.from('%PDF-1.7 of fifty bytes, all of them counted here.');
const presign = (name: string) =>
  bucket.presign({ objectKey: `uploads/org/${name}`, mimeType: 'application/pdf', size: BYTES.length }, 900);
const open = (name: string) => bucket.open(`uploads/org/${name}`);
const remove = (name: string) => bucket.remove(`uploads/org/${name}`);
/** A PUT whose bytes the test writes as it likes. */
const sendTo = (url: string, headers: object = { 'content-length': BYTES.length }) =>
  request(url, { method: 'PUT', headers: { 'content-type': 'application/pdf', ...headers } });
const statusOf = async (sending: ClientRequest) => {
  const [response] = await once(sending, 'response');
  response.resume();
  return response.statusCode;
};
const put = async (
  url: string,
  body: Buffer,
  headers: Record<string, string> = { 'content-type': 'application/pdf' },
) => (await fetch(url, { method: 'PUT', body: new Uint8Array(body), headers })).status;

/** A browser's preflight request for a page of `origin`. */
const preflight = (url: string, origin: string, method = 'PUT', headers = 'content-type') =>
  fetch(url, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': method, 'access-control-request-headers': headers },
  });

describe('a page', () => {
  it('of the console may put a file of the agreed type, and read that it arrived', async () => {
    const { url } = await presign('page');
    const allowed = await preflight(url, CONSOLE);
    expect(allowed.status).toBe(200);
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': CONSOLE,
      'access-control-allow-methods': 'PUT',
      'access-control-allow-headers': 'content-type',
    });
    const headers = { 'content-type': 'application/pdf', origin: CONSOLE };
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(BYTES), headers });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('access-control-allow-origin')).toBe(CONSOLE);
    expect(answer.headers.get('vary')).toContain('Origin');
  });

  it.each([
    ['of another origin', 'https://elsewhere.example', 'PUT', 'content-type'],
    ['that would read', CONSOLE, 'GET', ''],
    ['that would delete', CONSOLE, 'DELETE', ''],
    ['with headers that were not agreed', CONSOLE, 'PUT', 'content-type, x-amz-acl'],
  ])('%s is refused', async (_, origin, method, headers) => {
    const { url } = await presign('refused');
    const answer = await preflight(url, origin, method, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('of another origin cannot read an answer', async () => {
    const { url } = await presign('elsewhere');
    const headers = { 'content-type': 'application/pdf', origin: 'https://elsewhere.example' };
    const answer = await fetch(url, { method: 'PUT', body: new Uint8Array(BYTES), headers });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });
});

describe('a presigned URL', () => {
  it('accepts exactly the upload it was made for, and stores it byte for byte', async () => {
    const { url, headers } = await presign('one');
    expect(headers).toEqual({ 'content-type': 'application/pdf', 'content-length': String(BYTES.length) });
    expect(await put(url, BYTES)).toBe(200);
    const stored = await open('one');
    expect(stored).toMatchObject({ size: BYTES.length, contentType: 'application/pdf' });
    expect(stored && (await buffer(stored.body))).toEqual(BYTES);
  });

  it.each([
    ['one byte more', Buffer.concat([BYTES, Buffer.from('!')]), 'application/pdf'],
    ['one byte less', BYTES.subarray(1), 'application/pdf'],
    ['another type', BYTES, 'image/png'],
    ['a type with a parameter', BYTES, 'application/pdf; x=1'],
  ])('refuses %s', async (_, body, type) => {
    const { url } = await presign('two');
    expect(await put(url, body, { 'content-type': type })).toBe(403);
    expect(await open('two')).toBeUndefined();
  });

  it('refuses a body of unknown length', async () => {
    const { url } = await presign('three');
    const sending = sendTo(url, { 'transfer-encoding': 'chunked' });
    sending.end(BYTES);
    expect(await statusOf(sending)).toBe(403);
    expect(await open('three')).toBeUndefined();
  });

  it('stores nothing of an upload that breaks off', async () => {
    const files = (await readdir(folder)).length;
    const { url } = await presign('broken-off');
    const sending = sendTo(url);
    sending.on('error', () => undefined);
    sending.write(BYTES.subarray(0, -1));
    await vi.waitFor(async () => expect(await readdir(folder)).toHaveLength(files + 1), PATIENCE);
    sending.destroy();
    await vi.waitFor(async () => expect(await readdir(folder)).toHaveLength(files), PATIENCE);
    expect(await open('broken-off')).toBeUndefined();
  });

  it('is valid for PUT of its own object only', async () => {
    const { url } = await presign('four');
    expect(await put(url.replace('/four', '/five'), BYTES)).toBe(403);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    expect(await put(url.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000'), BYTES)).toBe(403);
    expect(await put(url.split('?')[0] as string, BYTES)).toBe(403);
  });

  it('requires no checksum, since the bytes are not known when it is made', async () => {
    const { url } = await presign('six');
    expect(url).not.toMatch(/checksum/i);
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
  });
});

describe('an object', () => {
  it('is gone once removed, and can be removed again', async () => {
    const { url } = await presign('seven');
    await put(url, BYTES);
    await remove('seven');
    expect(await open('seven')).toBeUndefined();
    await remove('seven');
  });

  it('that was removed cannot be put, whether or not it ever existed', async () => {
    const { url } = await presign('nine');
    expect(await put(url, BYTES)).toBe(200);
    await remove('nine');
    expect(await put(url, BYTES)).toBe(403);
    expect(await open('nine')).toBeUndefined();
    const never = await presign('ten');
    await remove('ten');
    expect(await put(never.url, BYTES)).toBe(403);
  });

  it('that is removed during its upload is not stored', async () => {
    const { url } = await presign('eleven');
    const sending = sendTo(url);
    sending.write(BYTES.subarray(0, 10));
    const isPart = (name: string) => name.endsWith('.part');
    await vi.waitFor(async () => expect((await readdir(folder)).some(isPart)).toBe(true), PATIENCE);
    await remove('eleven');
    sending.end(BYTES.subarray(10));
    expect(await statusOf(sending)).toBe(403);
    expect(await open('eleven')).toBeUndefined();
  });

  it('is deleted after a day, like the mark of a removed one', async () => {
    const { url } = await presign('twelve');
    await put(url, BYTES);
    await remove('thirteen');
    const dayAgo = Date.now() / 1000 - 24 * 3600 - 1;
    for (const name of await readdir(folder)) await utimes(join(folder, name), dayAgo, dayAgo);
    const fresh = await presign('fourteen');
    expect(await put(fresh.url, BYTES)).toBe(200);
    await (await startObjectStore(folder)).stop();
    expect(await open('twelve')).toBeUndefined();
    expect(await open('fourteen')).toBeDefined();
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('stays within its folder, whatever its key', async () => {
    const { url } = await presign('../../../../etc/eight');
    expect([200, 403]).toContain(await put(url, BYTES));
    expect(await bucket.open('etc/eight')).toBeUndefined();
  });
});

describe('an S3 signature', () => {
  /** The published example of a presigned address (Amazon S3, "Authenticating Requests: Using Query Parameters"). */
  const EXAMPLE = {
    method: 'GET',
    target:
      '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    headers: { host: 'examplebucket.s3.amazonaws.com' },
  };
  const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const SIGNED_AT = Date.UTC(2013, 4, 24);

  it('matches the published example', () => {
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT)).toBe(true);
    expect(isSigned(EXAMPLE, `${SECRET}x`, SIGNED_AT)).toBe(false);
    expect(isSigned({ ...EXAMPLE, headers: { host: 'other.s3.amazonaws.com' } }, SECRET, SIGNED_AT)).toBe(false);
  });

  it('expires', () => {
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT + 86_400_000)).toBe(true);
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT + 86_401_000)).toBe(false);
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT - 901_000)).toBe(false);
  });
});
