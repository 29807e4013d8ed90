import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import { startFauxqs } from '../../infra/local/engines.ts';
import type { ArchiveBucket } from '../../shared/domain/archive/ports.ts';
import { folderArchiveBucket } from '../../shared/providers/archive/folder-bucket.ts';
import { s3ArchiveBucket } from '../../shared/providers/archive/s3-bucket.ts';
import { use } from '../support/use.ts';

const engine = await startFauxqs();
await use({ close: engine.stop });
const settings = {
  endpoint: engine.endpoint,
  forcePathStyle: true,
  region: 'us-east-1',
  credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
};
await new S3Client(settings).send(new CreateBucketCommand({ Bucket: 'archive' }));

const BUCKETS: Readonly<Record<string, ArchiveBucket>> = {
  S3: s3ArchiveBucket('archive', settings),
  'a folder': folderArchiveBucket(mkdtempSync(join(tmpdir(), 'bucket-'))),
};
const bytes = (text: string) => new TextEncoder().encode(text);

describe.each(Object.entries(BUCKETS))('the archive in %s', (_, bucket) => {
  const list = async (prefix: string) => {
    const keys: string[] = [];
    for await (const key of bucket.list(prefix)) keys.push(key);
    return keys;
  };

  test('has what was written last, and nothing that was not', async () => {
    await bucket.put('archive/2026/03/01/a', bytes('one'));
    await bucket.put('archive/2026/03/01/a', bytes('other'));
    expect(Buffer.from((await bucket.get('archive/2026/03/01/a')) ?? []).toString()).toBe('other');
    expect(await bucket.get('archive/2026/03/01/b')).toBeUndefined();
  });

  test('lists a day, in order, past a page of S3', async () => {
    const keys = Array.from({ length: 1_001 }, (_key, at) => `archive/2026/03/02/${String(at).padStart(4, '0')}`);
    for (const key of keys) await bucket.put(key, bytes(''));
    await bucket.put('archive/2026/03/03/a', bytes(''));
    expect(await list('archive/2026/03/02/')).toEqual(keys);
    expect(await list('archive/2026/03/04/')).toEqual([]);
  });

  test('removes, also what is not there', async () => {
    await bucket.put('aws/lambda/a', bytes(''));
    await bucket.remove('aws/lambda/a');
    await bucket.remove('aws/lambda/a');
    expect(await bucket.get('aws/lambda/a')).toBeUndefined();
  });
});
