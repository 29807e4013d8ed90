import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { type Id, parseId } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { DIRECTORY_BUCKETS, shardOf } from '../table-indexes.ts';

/** A company's entry in the directory. */
export interface DirectoryEntry {
  readonly id: Id<'company'>;
  /** The name without case and accents. */
  readonly foldedName: string;
  readonly responsavelId?: Id<'account'> | undefined;
}

/** The bucket of a company. */
export const bucketOf = (companyId: Id<'company'>): number => shardOf(companyId, DIRECTORY_BUCKETS);

/** The maximum unpacked size of a bucket, in bytes: far more than a packed row of 400 KB contains. */
const MAX_UNPACKED = 4 * 1024 * 1024;
/** Names have no control characters: one line per entry, with tabs between its parts. */
const lineOf = ({ id: companyId, responsavelId, foldedName }: DirectoryEntry): string =>
  [companyId, responsavelId ?? '', foldedName].join('\t');
const entryOf = (line: string): DirectoryEntry => {
  const [companyId, responsible, foldedName = ''] = line.split('\t');
  const entry = { id: parseId('company', companyId), foldedName };
  return responsible ? { ...entry, responsavelId: parseId('account', responsible) } : entry;
};
const packedEntries = z.codec(z.instanceof(Uint8Array), z.custom<readonly DirectoryEntry[]>(), {
  decode: (bytes) => {
    const text = gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED }).toString('utf8');
    return text === '' ? [] : text.split('\n').map(entryOf);
  },
  encode: (entries) => gzipSync(entries.map(lineOf).join('\n')),
});

/** A part of an organization's directory of companies. */
export interface DirectoryBucket {
  readonly organizationId: Id<'organization'>;
  readonly bucket: number;
  readonly entries: readonly DirectoryEntry[];
  /** Incremented by each write, which is conditional on the previous version. */
  readonly version: number;
}
const bucketRows = defineRow<DirectoryBucket>()({
  attributes: {
    organizationId: id('organization'),
    bucket: z.int(),
    entries: packedEntries,
    version: z.int(),
  },
  rename: { entries: 'packed' },
  key: ({ organizationId, bucket }) => KEYS.companyBucket(organizationId, bucket),
});

/** Buckets by number, consistent; undefined for one that was never written. */
export const readBuckets = async (
  table: Table,
  organizationId: Id<'organization'>,
  buckets: readonly number[],
): Promise<readonly (DirectoryBucket | undefined)[]> => {
  const keys = buckets.map((bucket) => KEYS.companyBucket(organizationId, bucket));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.map((row) => row && bucketRows.read(row));
};

/** Writes a bucket if its version is unchanged; false if another writer was faster. */
export const writeBucket = async (
  table: Table,
  before: DirectoryBucket | undefined,
  after: DirectoryBucket,
): Promise<boolean> => {
  const when = before ? { text: '#version = :version', values: { version: before.version } } : ABSENT;
  return (await table.write({ put: bucketRows.write(after), when })).ok;
};

const nameOf = (bucket: number): string => `b${bucket}`;
const version = z.int().min(1);

/**
 * Counts a merge of a bucket: after it was written, and before marks are removed. So a bucket cached at its present version is valid for
 * all its companies without a mark. A repeat is harmless.
 */
export const countBucket = async (table: Table, organizationId: Id<'organization'>, bucket: number): Promise<void> => {
  await table.write({
    update: KEYS.companyBucketVersions(organizationId),
    set: { org: organizationId },
    add: { [nameOf(bucket)]: 1 },
  });
};

/** The versions of an organization's buckets; absent for one that was never merged. One consistent read of at most 3 KB. */
export const readBucketVersions = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<ReadonlyMap<number, number>> => {
  const row = await table.get(KEYS.companyBucketVersions(organizationId));
  return new Map(
    Object.entries(row ?? {}).flatMap(([name, value]) =>
      /^b\d+$/.test(name) ? [[Number(name.slice(1)), version.parse(value)] as const] : [],
    ),
  );
};
