import type { Id } from '../../domain/core/ids.ts';
import { counterRow, readShards } from '../access/counters.ts';
import type { Table } from '../client/table.ts';

/**
 * How long a process caches whether an organization has segments, in ms. A segment's baseline is determined once no process can use an
 * older answer (shared/storage/segments/sweeps.ts).
 */
export const HAS_SEGMENTS_FOR_MS = 10_000;
const MAX_SEEN = 10_000;
const seen = new WeakMap<Table, Map<Id<'organization'>, { readonly has: boolean; readonly until: number }>>();

const seenIn = (table: Table) => {
  const found = seen.get(table) ?? new Map<Id<'organization'>, { readonly has: boolean; readonly until: number }>();
  seen.set(table, found);
  if (found.size >= MAX_SEEN) found.clear();
  return found;
};

/** Whether an organization has segments, at most ten seconds old. One consistent query of short rows, cached for that time. */
export const hasSegments = async (table: Table, organizationId: Id<'organization'>): Promise<boolean> => {
  const known = seenIn(table).get(organizationId);
  const now = performance.now();
  if (known && known.until > now) return known.has;
  const shards = await readShards(table, organizationId, 'segments');
  const has = shards.reduce((sum, row) => sum + counterRow.parse(row).count, 0) > 0;
  seenIn(table).set(organizationId, { has, until: now + HAS_SEGMENTS_FOR_MS });
  return has;
};

/** Records in this process's cache that an organization now has a segment. */
export const noteSegment = (table: Table, organizationId: Id<'organization'>): void => {
  seenIn(table).set(organizationId, { has: true, until: performance.now() + HAS_SEGMENTS_FOR_MS });
};

/**
 * Which changes of contacts are due for evaluation: a sample that keeps the index up to date, or all, since each may enter or leave a
 * segment.
 */
export type ChangesDue = 'all' | 'sampled';
/** Which of an organization's changes are due. Cost as for `hasSegments`. */
export const changesDue = async (table: Table, organizationId: Id<'organization'>): Promise<ChangesDue> =>
  (await hasSegments(table, organizationId)) ? 'all' : 'sampled';
