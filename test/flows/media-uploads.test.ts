import { createHash } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { uploadBucketName } from '../../infra/local/stages.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { uploadBucket } from '../../shared/storage/whatsapp/media-bucket.ts';
import { FILES, filled } from '../media/files.ts';
import { useMediaNumbers } from '../media/setup.ts';
import type { Client } from '../support/api.ts';
import { connectedNumber } from '../support/media.ts';
import { expectProblem } from '../support/problems.ts';

const MB = 1024 * 1024;
const BYTES = filled(FILES.pdf, 100_000);
/** Larger than the body limit of a function, and than the queue engine's own buckets accept. */
const LARGE = filled(FILES.pdf, 12 * MB);
const ABOUT = { filename: 'catálogo.pdf', mimeType: 'application/pdf', size: BYTES.length };

const { messaging, meta, owner, live, sandbox } = await useMediaNumbers();

const pathOf = (numberId: string) => `/numbers/${numberId}/media/uploads`;
const begin = async (client: Client, numberId: string, about: object = {}) =>
  (await client.post(pathOf(numberId), { ...ABOUT, ...about })).body;
/** An upload whose bytes are in the bucket. */
const beginAndPut = async (client: Client, numberId: string, about: object = {}) => {
  const address = await begin(client, numberId, about);
  expect(await put(address.url, BYTES)).toBe(200);
  return address;
};
const put = async (url: string, bytes: Buffer, type = 'application/pdf') =>
  (await fetch(url, { method: 'PUT', headers: { 'content-type': type }, body: new Uint8Array(bytes) })).status;
const complete = (client: Client, numberId: string, uploadId: string) =>
  client.call('POST', `${pathOf(numberId)}/${uploadId}/complete`);
/** The object of an upload in the bucket. */
const stored = (env: 'live' | 'test', { url, uploadId }: { url: string; uploadId: string }) =>
  uploadBucket(uploadBucketName(env), new URL(url).origin).open(`uploads/${owner.id}/${uploadId}`);

describe('an upload to the bucket', () => {
  test('brings a file beyond the limit of a function to Meta, and leaves nothing in the bucket', async () => {
    const address = await begin(owner.live, live, { size: LARGE.length });
    expect(address).toMatchObject({
      uploadId: expect.stringMatching(/^upl_/),
      method: 'PUT',
      headers: { 'content-type': 'application/pdf', 'content-length': String(LARGE.length) },
    });
    expect(await put(address.url, LARGE)).toBe(200);
    const { status, body } = await complete(owner.live, live, address.uploadId);
    const sha256 = createHash('sha256').update(LARGE).digest('hex');
    expect({ status, body }).toEqual({
      status: 201,
      body: { mediaId: meta.files.at(-1)?.id, kind: 'document', ...ABOUT, size: LARGE.length, sha256 },
    });
    expect(meta.files.at(-1)).toMatchObject({ filename: ABOUT.filename, size: LARGE.length, sha256 });
    expect(await stored('live', address)).toBeUndefined();
  });

  test('answers a repeated completion with the same result, and calls Meta once', async () => {
    const address = await beginAndPut(owner.live, live);
    const first = await complete(owner.live, live, address.uploadId);
    const uploads = meta.files.length;
    const second = await complete(owner.live, live, address.uploadId);
    expect([second.status, second.body]).toEqual([201, first.body]);
    expect(meta.files).toHaveLength(uploads);
  });

  test('answers a repeated completion with its own filename, even if the same bytes were uploaded under another, also in the sandbox', async () => {
    const completed = async (filename: string) => {
      const address = await beginAndPut(owner.test, sandbox, { filename });
      return { address, ...(await complete(owner.test, sandbox, address.uploadId)) };
    };
    const first = await completed('a.pdf');
    expect((await completed('b.pdf')).body.filename).toBe('b.pdf');
    expect((await complete(owner.test, sandbox, first.address.uploadId)).body).toEqual(first.body);
  });

  test('refuses further bytes at its address once it is completed, so that none are left in the bucket', async () => {
    const address = await beginAndPut(owner.live, live);
    const first = await complete(owner.live, live, address.uploadId);
    expect(await put(address.url, BYTES)).toBe(403);
    expect(await stored('live', address)).toBeUndefined();
    expect((await complete(owner.live, live, address.uploadId)).body).toEqual(first.body);
  });

  test('that is completed twice concurrently has one result', async () => {
    const address = await beginAndPut(owner.live, live);
    const calls = [1, 2].map(() => complete(owner.live, live, address.uploadId));
    const answers = await Promise.all(calls);
    const last = await complete(owner.live, live, address.uploadId);
    for (const { status, body } of answers) expect([status, body]).toEqual([201, last.body]);
  });

  test('is 409 as long as no bytes were put', async () => {
    const { uploadId } = await begin(owner.test, sandbox);
    expectProblem(await complete(owner.test, sandbox, uploadId), 409);
  });

  test('can be completed again after a failure of Meta', async () => {
    const address = await beginAndPut(owner.live, live);
    meta.script({ status: 500, error: { code: 131_000 } });
    expectProblem(await complete(owner.live, live, address.uploadId), 502);
    expect((await complete(owner.live, live, address.uploadId)).status).toBe(201);
  });
});

describe('the address of an upload', () => {
  test.each([
    ['another size', BYTES.subarray(1), 'application/pdf'],
    ['another type', BYTES, 'text/plain'],
  ])('refuses %s', async (_, bytes, type) => {
    const address = await begin(owner.test, sandbox);
    expect(await put(address.url, bytes, type)).toBe(403);
    expectProblem(await complete(owner.test, sandbox, address.uploadId), 409);
  });

  test('is 422 for bytes of another type than the declared one, and deletes them', async () => {
    const address = await begin(owner.live, live);
    const uploads = meta.files.length;
    expect(await put(address.url, filled(FILES.docx, BYTES.length))).toBe(200);
    expectProblem(await complete(owner.live, live, address.uploadId), 422);
    expect(await stored('live', address)).toBeUndefined();
    expect(meta.files).toHaveLength(uploads);
  });

  test('is also given for the largest file that base64 could carry', async () => {
    expect((await owner.test.post(pathOf(sandbox), { ...ABOUT, size: 105_000_000 })).status).toBe(201);
  });

  test.each([
    ['a type that Meta does not accept', { mimeType: 'image/gif' }, 415],
    ['a picture beyond the limit of its type', { mimeType: 'image/png', size: 5 * MB + 1 }, 413],
    ['a document beyond 105 MB', { size: 105_000_001 }, 413],
    ['no byte', { size: 0 }, 422],
    ['half a byte', { size: 1.5 }, 422],
    ['a name with a folder', { filename: 'a/b' }, 422],
  ])('is not given for %s', async (_, about, status) => {
    expectProblem(await owner.test.post(pathOf(sandbox), { ...ABOUT, ...about }), status);
  });
});

test("another organization's upload is 404 for another organization, environment and number, and can still be completed by its owner", async () => {
  const stranger = await messaging.tenant();
  const theirs = await connectedNumber(messaging, stranger, 'test');
  const second = await connectedNumber(messaging, owner, 'test');
  const address = await beginAndPut(owner.test, sandbox);
  for (const [client, number] of [
    [stranger.test, sandbox],
    [stranger.test, theirs],
    [owner.live, sandbox],
    [owner.live, live],
    [owner.test, second],
  ] as const) {
    const [foreign, absent] = [
      await complete(client, number, address.uploadId),
      await complete(client, number, `upl_${'0'.repeat(21)}`),
    ];
    expectProblem(foreign, 404);
    expect(foreign.body.detail).toBe(absent.body.detail);
  }
  expect((await complete(owner.test, sandbox, address.uploadId)).status).toBe(201);
});

describe('an upload that is never completed', () => {
  const rowOf = (uploadId: Id<'upload'>) => messaging.tables.test.get(KEYS.upload(uploadId));
  /** Moves the expiry of an upload into the past. */
  const expire = async (uploadId: Id<'upload'>) => {
    const past = Date.now() - 60_000;
    const { ok } = await messaging.tables.test.write({
      update: KEYS.upload(uploadId),
      set: { expiresAt: isoTime(past), ...((await rowOf(uploadId))?.duePk ? { dueAt: past } : {}) },
      when: { text: 'attribute_exists(#pk)' },
    });
    expect(ok).toBe(true);
  };

  test('is deleted with its bytes and its row', async () => {
    const address = await beginAndPut(owner.test, sandbox);
    expect(await stored('test', address)).toBeDefined();
    await expire(address.uploadId);
    expectProblem(await complete(owner.test, sandbox, address.uploadId), 404);
    await vi.waitFor(async () => expect(await rowOf(address.uploadId)).toBeUndefined(), {
      timeout: 45_000,
      interval: 200,
    });
    expect(await stored('test', address)).toBeUndefined();
    expect(await put(address.url, BYTES)).toBe(403);
    expectProblem(await complete(owner.test, sandbox, address.uploadId), 404);
  });

  test('is distinguished from a completed one, which is kept', async () => {
    const address = await beginAndPut(owner.test, sandbox);
    const { body } = await complete(owner.test, sandbox, address.uploadId);
    expect(await rowOf(address.uploadId)).not.toHaveProperty('duePk');
    await expire(address.uploadId);
    expect((await complete(owner.test, sandbox, address.uploadId)).body).toEqual(body);
  });
});
