import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { ARCHIVE_KINDS, type ArchiveBucket, type ArchiveId, type ArchiveObjects } from '../../domain/archive/ports.ts';
import { ID_PREFIXES } from '../../domain/core/ids.ts';
import { id, time } from '../client/attributes.ts';

const archiveId = z.custom<ArchiveId>(
  (value) =>
    typeof value === 'string' && [ID_PREFIXES.message, ID_PREFIXES.reply].some((kind) => value.startsWith(`${kind}_`)),
);

/** A line of an object: JSON. */
const line = z.object({
  kind: z.enum(ARCHIVE_KINDS),
  id: archiveId,
  organizationId: id('organization'),
  createdAt: time,
  subjects: z.array(z.object({ token: z.string(), keyId: z.string() })).min(1),
  row: z.string(),
});

/** The maximum unpacked size of an object: far above what an invocation of the archiver receives. */
const MAX_BYTES = 256 * 1024 * 1024;

/** The archive's objects in a bucket: compressed NDJSON, one line per row. */
export const archiveObjects = (bucket: ArchiveBucket): ArchiveObjects => ({
  write: (key, lines) =>
    bucket.put(
      key,
      gzipSync(
        lines.map((each) => `${JSON.stringify(z.encode(line, { ...each, subjects: [...each.subjects] }))}\n`).join(''),
      ),
    ),
  async read(key) {
    const bytes = await bucket.get(key);
    if (!bytes) return undefined;
    const text = gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString('utf8');
    return text
      .split('\n')
      .filter(Boolean)
      .map((each) => line.parse(JSON.parse(each)));
  },
  list: (prefix) => bucket.list(prefix),
});
