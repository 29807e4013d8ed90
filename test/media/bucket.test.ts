import { once } from 'node:events';
import { readdir, utimes } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../infra/local/engines.ts';
import { startObjectStore } from '../../infra/local/object-store.ts';
import { isSigned } from '../../infra/local/signed-request.ts';
import type { UploadBucket } from '../../shared/domain/channels/whatsapp/media/ports.ts';
import { uploadBucket } from '../../shared/storage/whatsapp/media-bucket.ts';
import { tempDir } from '../support/local-stack.ts';

let engine: Engine;
let bucket: UploadBucket;
let folder: string;
beforeAll(async () => {
  folder = await tempDir();
  engine = await startObjectStore(folder);
  bucket = uploadBucket('messaging-test-uploads', engine.endpoint);
});
afterAll(() => engine.stop());

const BYTES = Buffer.from('%PDF-1.7 of fifty bytes, all of them counted here.');
const upload = (objectKey: string) => ({ objectKey, mimeType: 'application/pdf' as const, size: BYTES.length });
const put = async (
  url: string,
  body: Buffer,
  headers: Record<string, string> = { 'content-type': 'application/pdf' },
) => (await fetch(url, { method: 'PUT', body: new Uint8Array(body), headers })).status;

describe('a presigned address', () => {
  it('takes what it was made for, which is then there byte by byte', async () => {
    const { url, headers } = await bucket.presign(upload('uploads/org/one'), 900);
    expect(headers).toEqual({ 'content-type': 'application/pdf', 'content-length': String(BYTES.length) });
    expect(await put(url, BYTES)).toBe(200);
    const stored = await bucket.open('uploads/org/one');
    expect(stored).toMatchObject({ size: BYTES.length, contentType: 'application/pdf' });
    expect(stored && (await buffer(stored.body))).toEqual(BYTES);
  });

  it.each([
    ['one byte more', Buffer.concat([BYTES, Buffer.from('!')]), 'application/pdf'],
    ['one byte less', BYTES.subarray(1), 'application/pdf'],
    ['another type', BYTES, 'image/png'],
    ['a type with a parameter', BYTES, 'application/pdf; x=1'],
  ])('does not take %s', async (_, body, type) => {
    const { url } = await bucket.presign(upload('uploads/org/two'), 900);
    expect(await put(url, body, { 'content-type': type })).toBe(403);
    expect(await bucket.open('uploads/org/two')).toBeUndefined();
  });

  it('does not take a body of unknown length', async () => {
    const { url } = await bucket.presign(upload('uploads/org/three'), 900);
    const sending = request(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/pdf', 'transfer-encoding': 'chunked' },
    });
    sending.end(BYTES);
    const [response] = await once(sending, 'response');
    response.resume();
    expect(response.statusCode).toBe(403);
    expect(await bucket.open('uploads/org/three')).toBeUndefined();
  });

  it('keeps nothing of bytes that break off', async () => {
    const files = (await readdir(folder)).length;
    const { url } = await bucket.presign(upload('uploads/org/broken-off'), 900);
    const headers = { 'content-type': 'application/pdf', 'content-length': BYTES.length };
    const sending = request(url, { method: 'PUT', headers });
    sending.on('error', () => undefined);
    sending.write(BYTES.subarray(0, -1));
    await vi.waitFor(async () => expect(await readdir(folder)).toHaveLength(files + 1));
    sending.destroy();
    await vi.waitFor(async () => expect(await readdir(folder)).toHaveLength(files));
    expect(await bucket.open('uploads/org/broken-off')).toBeUndefined();
  });

  it('is good for its own object and for putting, and for nothing else', async () => {
    const { url } = await bucket.presign(upload('uploads/org/four'), 900);
    expect(await put(url.replace('/four', '/five'), BYTES)).toBe(403);
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    expect(await put(url.replace('X-Amz-Expires=900', 'X-Amz-Expires=9000'), BYTES)).toBe(403);
    expect(await put(url.split('?')[0] as string, BYTES)).toBe(403);
  });

  it('says nothing of a checksum, which only the bytes could have', async () => {
    const { url } = await bucket.presign(upload('uploads/org/six'), 900);
    expect(url).not.toMatch(/checksum/i);
    expect(new URL(url).searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host');
  });
});

describe('an object', () => {
  it('is gone once it was removed, and may be removed again', async () => {
    const { url } = await bucket.presign(upload('uploads/org/seven'), 900);
    await put(url, BYTES);
    await bucket.remove('uploads/org/seven');
    expect(await bucket.open('uploads/org/seven')).toBeUndefined();
    await bucket.remove('uploads/org/seven');
  });

  it('that was removed is not put again, whether or not it was ever there', async () => {
    const { url } = await bucket.presign(upload('uploads/org/nine'), 900);
    expect(await put(url, BYTES)).toBe(200);
    await bucket.remove('uploads/org/nine');
    expect(await put(url, BYTES)).toBe(403);
    expect(await bucket.open('uploads/org/nine')).toBeUndefined();
    const never = await bucket.presign(upload('uploads/org/ten'), 900);
    await bucket.remove('uploads/org/ten');
    expect(await put(never.url, BYTES)).toBe(403);
  });

  it('that is removed while its bytes come does not stay', async () => {
    const { url } = await bucket.presign(upload('uploads/org/eleven'), 900);
    const headers = { 'content-type': 'application/pdf', 'content-length': BYTES.length };
    const sending = request(url, { method: 'PUT', headers });
    sending.write(BYTES.subarray(0, 10));
    const begun = (name: string) => name.endsWith('.part');
    await vi.waitFor(async () => expect((await readdir(folder)).some(begun)).toBe(true));
    await bucket.remove('uploads/org/eleven');
    sending.end(BYTES.subarray(10));
    const [response] = await once(sending, 'response');
    response.resume();
    expect(response.statusCode).toBe(403);
    expect(await bucket.open('uploads/org/eleven')).toBeUndefined();
  });

  it('stays for a day at most, whoever forgot it, and so does the mark of one that was removed', async () => {
    const { url } = await bucket.presign(upload('uploads/org/twelve'), 900);
    await put(url, BYTES);
    await bucket.remove('uploads/org/thirteen');
    const dayAgo = Date.now() / 1000 - 24 * 3600 - 1;
    for (const name of await readdir(folder)) await utimes(join(folder, name), dayAgo, dayAgo);
    const fresh = await bucket.presign(upload('uploads/org/fourteen'), 900);
    expect(await put(fresh.url, BYTES)).toBe(200);
    await (await startObjectStore(folder)).stop();
    expect(await bucket.open('uploads/org/twelve')).toBeUndefined();
    expect(await bucket.open('uploads/org/fourteen')).toBeDefined();
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('stays within its folder, whatever its name', async () => {
    const { url } = await bucket.presign(upload('uploads/../../../etc/eight'), 900);
    expect([200, 403]).toContain(await put(url, BYTES));
    expect(await bucket.open('etc/eight')).toBeUndefined();
  });
});

describe('the signature of S3', () => {
  /** The published example of a presigned address (Amazon S3, "Authenticating Requests: Using Query Parameters"). */
  const EXAMPLE = {
    method: 'GET',
    target:
      '/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    headers: { host: 'examplebucket.s3.amazonaws.com' },
  };
  const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  const SIGNED_AT = Date.UTC(2013, 4, 24);

  it('is the published one', () => {
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT)).toBe(true);
    expect(isSigned(EXAMPLE, `${SECRET}x`, SIGNED_AT)).toBe(false);
    expect(isSigned({ ...EXAMPLE, headers: { host: 'other.s3.amazonaws.com' } }, SECRET, SIGNED_AT)).toBe(false);
  });

  it('ends with its time', () => {
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT + 86_400_000)).toBe(true);
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT + 86_401_000)).toBe(false);
    expect(isSigned(EXAMPLE, SECRET, SIGNED_AT - 901_000)).toBe(false);
  });
});
