import type { Id } from '../../../domain/core/ids.ts';
import type { Clock } from '../../../domain/core/time.ts';
import type { Page, PageRequest } from '../../../domain/message/lists.ts';
import { Merged, type Source } from '../../client/merge-newest.ts';
import { countAll, fullRows, keysOf, partsOf, type ShardedRange, type Window } from '../../client/pages.ts';
import type { Key, Row } from '../../client/row.ts';
import type { Table } from '../../client/table.ts';
import { countRun, type FilteredList, searched } from './count-run.ts';
import { requestCounting } from './counting.ts';
import { cover, type Span } from './cover.ts';
import { filteredKeys } from './filtered-keys.ts';
import { conditionOf } from './list-filter.ts';
import { type RemainingMs, searchSpans } from './search-spans.ts';

/** The table and clock for reading lists. */
export interface ListReading {
  readonly table: Table;
  readonly clock: Clock;
  /** Whether rows of this table are or were archived: counts of periods whose rows may be gone are not used. */
  readonly rowsExpire: boolean;
  /** Lists in which at most this many were ever stored are counted by reading them; tests set other values than 2,000. */
  readonly smallList?: number;
  /** Maximum entries that an answer reads to count them; tests set less than 50,000. */
  readonly maxEntries?: number;
  /** Default: without a limit. */
  readonly remainingMs?: RemainingMs;
  /** Called with a list that was stored to be counted in the background, so that this begins at once. */
  readonly onUncounted?: (key: Key, organizationId: Id<'organization'>) => void;
}
const unlimited: RemainingMs = () => Number.POSITIVE_INFINITY;

export const SMALL_LIST = 2_000;
/** Maximum entries read into memory for one response. */
const MAX_ENTRIES = 50_000;
/** How long ago a window may end whose total is that of the whole list less what came after it, ms: pages "up to now" end so. */
const ENDS_WITHIN_MS = 24 * 3_600_000;
/** The minimum time that rows stay in the table, ms (docs/archive.md). */
const STAYS_MS = 90 * 24 * 3_600_000;

const merged = (spans: readonly Span[]): Span[] => {
  const found: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.from - b.from)) {
    const last = found.at(-1);
    if (last?.until === span.from) found[found.length - 1] = { from: last.from, until: span.until };
    else found.push(span);
  }
  return found;
};

/** The matches of a filtered list within a window. */
export interface Found {
  /** The exact number of matches. */
  readonly total: () => Promise<number>;
  /** The keys of the matches, newest first, for a page that ends after this many: several lists to be merged. */
  readonly keys: (wanted: number) => Source<Row>[];
}

/** The matches of a range, found by reading it; `total` is their number, if known. */
export const findInRange = (table: Table, range: ShardedRange, total?: number): Found => ({
  total: async () => total ?? countAll(table, range),
  keys: (wanted) => partsOf(range).map((part) => keysOf(table, part, wanted)),
});

/** Since when (ms) counts may be used: rows that may be archived are not subtracted from any. */
export const countableFrom = ({ rowsExpire }: Pick<ListReading, 'rowsExpire'>, now: number): number =>
  rowsExpire ? now - STAYS_MS : 0;

/** Has the rest of a list counted in the background, if an answer left some of it. Those of inbound messages are left to the answers. */
const requestRest = async (
  { table, clock, onUncounted }: ListReading,
  { range, filter: { batchId }, marked }: FilteredList,
): Promise<void> => {
  if (!marked) return;
  const { organizationId, channel, campaignId } = marked;
  const counting = { organizationId, channel, campaignId, batchId, list: range.partition };
  const key = await requestCounting(table, counting, clock());
  if (key) onUncounted?.(key, organizationId);
};

/** Whether a list has all messages of an organization's channel and direction, whose number is stored. */
const isUnfiltered = ({ range, filter }: FilteredList): boolean =>
  range.index === 'gsi1' && !range.filter && !conditionOf(filter);

/**
 * Finds the messages of a list that match its filter within a window, at a cost that depends on the time that the list spans and on recent
 * and late changes, rather than on the number of messages. `size`: the number of messages of the whole list.
 */
export const findFiltered = async (
  reading: ListReading,
  list: FilteredList,
  { from = 0, to = Number.POSITIVE_INFINITY }: Window,
  size: number,
): Promise<Found> => {
  const { table, clock, smallList = SMALL_LIST, maxEntries = MAX_ENTRIES, remainingMs = unlimited } = reading;
  const whole = { from: Math.max(0, from), until: to + 1 };
  if (size <= smallList) return findInRange(table, searched(list, whole));
  const now = clock();
  if (from <= 0 && Number.isFinite(to) && to >= now - ENDS_WITHIN_MS && isUnfiltered(list)) {
    const newer = await findFiltered(reading, list, { from: to + 1 }, size);
    const { keys } = findInRange(table, searched(list, whole));
    return { keys, total: async () => Math.max(0, size - (await newer.total())) };
  }
  const stays = Math.max(whole.from, Math.min(whole.until, countableFrom(reading, now)));
  const { direct, runs } = cover({ from: stays, until: whole.until }, now);
  const older = stays > whole.from ? [{ from: whole.from, until: stays }] : [];
  const limits = { budget: { left: maxEntries }, worthStoring: smallList / 4 };
  const counted = await Promise.all(runs.map((run) => countRun(table, list, run, limits)));
  if (counted.some(({ beyond }) => beyond.length > 0)) await requestRest(reading, list);
  const parts = counted.flatMap((run) => run.parts);
  const rest = merged([...older, ...direct, ...counted.flatMap(({ left }) => left)]);
  const found = await searchSpans(table, list, rest, remainingMs);
  const total = parts.reduce((sum, part) => sum + part.total, found.total);
  const whereabouts = { parts: [...parts, ...found.parts], spans: found.spans, near: smallList / 2 };
  return { total: async () => total, keys: (wanted) => [filteredKeys(table, list, whereabouts, wanted)] };
};

/** How often a page is filled up with further messages, for those that no longer match when they are read in full. */
const MAX_FILLS = 3;

/** How a page reads a message; undefined if it changed since the index was read, and does not match any more. */
type ReadMatch<T> = (row: Row) => T | undefined;

/**
 * A page of matches in lists of one index, newest first; skipped rows are not read in full. All items match; the total is without those that
 * no longer did, and never less than the page shows.
 */
export const foundPage = async <T>(
  table: Table,
  lists: readonly Found[],
  index: ShardedRange['index'],
  { skip, limit }: PageRequest,
  readMatch: ReadMatch<T>,
): Promise<Page<T>> => {
  const totals = Promise.all(lists.map(({ total }) => total()));
  const sources = lists.flatMap(({ keys }) => keys(skip + limit));
  const merged = new Merged(sources, (row) => String(row[`${index}sk`]));
  const readItems = async (): Promise<{ readonly items: T[]; readonly changed: number }> => {
    await merged.take(skip);
    const items: T[] = [];
    let changed = 0;
    for (let fills = 0; fills <= MAX_FILLS && items.length < limit; fills++) {
      const keys = await merged.take(limit - items.length);
      if (keys.length === 0) break;
      const matches = (await fullRows(table, keys)).flatMap((row) => readMatch(row) ?? []);
      changed += keys.length - matches.length;
      items.push(...matches);
    }
    return { items, changed };
  };
  const [counts, { items, changed }] = await Promise.all([totals, readItems()]);
  const total = counts.reduce((sum, count) => sum + count, 0) - changed;
  return { items, total: Math.max(total, items.length > 0 ? skip + items.length : 0) };
};
