import { foldName } from '../../domain/companies/names.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { type ChangedCompany, clearMark, readChangedCompanies } from './changed-companies.ts';
import { companyRows } from './company-rows.ts';
import { bucketOf, countBucket, type DirectoryEntry, readBuckets, writeBucket } from './directory-rows.ts';

const CONCURRENCY = 4;
const CONCURRENT_CLEARS = 8;

const readEntry = companyRows.pick('id', 'organizationId', 'nome', 'responsavelId');
const ENTRY_ATTRIBUTES = ['pk', 'sk', 'id', 'org', 'nome', 'responsavelId'];

/** The directory entries of companies in their present state, in order; undefined for deleted ones. Consistent; one round trip per 100. */
export const readEntries = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'company'>[],
): Promise<readonly (DirectoryEntry | undefined)[]> => {
  const rows = await table.getMany(ids.map(KEYS.company), { consistent: true, only: ENTRY_ATTRIBUTES });
  return rows.map((row) => {
    if (row?.org !== organizationId) return undefined;
    const { id, nome, responsavelId } = readEntry(row);
    return { id, foldedName: foldName(nome), responsavelId };
  });
};

/**
 * Updates a bucket with some changed companies. They are read after the bucket, and the bucket is always written, even if unchanged: of two
 * concurrent merges the one that read older companies fails, so that no outdated entry stays without a mark. False if another merge was
 * faster; the marks stay.
 */
const mergeBucket = async (
  table: Table,
  organizationId: Id<'organization'>,
  bucket: number,
  marks: readonly ChangedCompany[],
): Promise<boolean> => {
  const [before] = await readBuckets(table, organizationId, [bucket]);
  const ids = marks.map(({ companyId }) => companyId);
  const now = await readEntries(table, organizationId, ids);
  const changed = new Set(ids);
  const kept = (before?.entries ?? []).filter(({ id }) => !changed.has(id));
  const entries = [...kept, ...now.filter((entry) => entry !== undefined)];
  const after = { organizationId, bucket, entries, version: (before?.version ?? 0) + 1 };
  if (!(await writeBucket(table, before, after))) return false;
  await countBucket(table, organizationId, bucket);
  await mapConcurrently(marks, CONCURRENT_CLEARS, (mark) => clearMark(table, mark));
  return true;
};

/**
 * Updates an organization's directory with its changed companies. Safe to repeat, to run concurrently and to interrupt anywhere. False if
 * another merge updated the same bucket: the remaining companies are still marked.
 */
export const mergeDirectory = async (table: Table, organizationId: Id<'organization'>): Promise<boolean> => {
  const marks = await readChangedCompanies(table, organizationId);
  const buckets = [...Map.groupBy(marks, ({ companyId }) => bucketOf(companyId))];
  const merged = await mapConcurrently(buckets, CONCURRENCY, ([bucket, changed]) =>
    mergeBucket(table, organizationId, bucket, changed),
  );
  return !merged.includes(false);
};
