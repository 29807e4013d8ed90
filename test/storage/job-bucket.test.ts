import { afterAll, expect, test } from 'vitest';
import { startObjectStore } from '../../infra/local/object-store.ts';
import { systemClock } from '../../shared/domain/core/time.ts';
import { bucketClient } from '../../shared/storage/client/bucket-client.ts';
import { exportBucket, importBucket } from '../../shared/storage/jobs/job-bucket.ts';
import { tempDir } from '../support/local-stack.ts';

const engine = await startObjectStore(await tempDir());
afterAll(() => engine.stop());
const client = bucketClient(engine.endpoint);
const [imports, exports] = [importBucket(client, 'uploads', systemClock), exportBucket(client, 'uploads', systemClock)];

test('a file is read by ranges, of the version that was there and no other', async () => {
  const key = 'imports/o/i/source';
  expect(await imports.stat(key)).toBeUndefined();
  await imports.put(key, '0123456789');
  const file = await imports.stat(key);
  const etag = file?.etag ?? '';
  expect(file?.size).toBe(10);
  expect(await imports.read(key, etag, 0, 4)).toEqual({ bytes: Buffer.from('0123'), last: false });
  expect(await imports.read(key, etag, 4, 6)).toEqual({ bytes: Buffer.from('456789'), last: true });
  expect(await imports.read(key, etag, 8, 100)).toEqual({ bytes: Buffer.from('89'), last: true });
  await imports.put(key, '0123456789');
  expect(await imports.read(key, etag, 0, 4)).toBe('file_changed');
  await imports.remove([key]);
  expect(await imports.read(key, etag, 0, 4)).toBe('file_missing');
});

test('an upload in parts is the object once it is completed, also when that is repeated, and nothing where it is aborted', async () => {
  const key = 'exports/o/e/file-1';
  const id = await exports.beginUpload(key, 'text/csv');
  const first = Buffer.alloc(exports.partBytes, 'a');
  const etags = [await exports.uploadPart(key, id, 3, first), await exports.uploadPart(key, id, 7, Buffer.from('end'))];
  const parts = [3, 7].map((number, at) => ({ number, etag: etags[at] ?? '' }));
  await exports.completeUpload(key, id, parts);
  await exports.completeUpload(key, id, parts);
  expect(await exports.bytes(key)).toEqual(Buffer.concat([first, Buffer.from('end')]));

  const small = await exports.beginUpload('exports/o/e/file-2', 'text/csv');
  const one = { number: 1, etag: await exports.uploadPart('exports/o/e/file-2', small, 1, Buffer.from('a')) };
  const two = { number: 2, etag: await exports.uploadPart('exports/o/e/file-2', small, 2, Buffer.from('b')) };
  await expect(exports.completeUpload('exports/o/e/file-2', small, [one, two])).rejects.toThrow();
  await exports.abortUpload('exports/o/e/file-2', small);
  await expect(exports.completeUpload('exports/o/e/file-2', small, [one])).rejects.toThrow();
});
