import type { Clock } from '../../../domain/core/time.ts';
import { allOf } from '../../client/conditions.ts';
import { between, countAll, type Window } from '../../client/pages.ts';
import type { Table } from '../../client/table.ts';
import { countRun, type FilteredList } from './count-run.ts';
import { cover, type Span } from './cover.ts';
import { conditionOf } from './list-filter.ts';

/** Where lists are read, by which clock. */
export interface ListReading {
  readonly table: Table;
  readonly clock: Clock;
  /** Whether rows of this table leave it for the archive, or did: counts of times whose rows may have left are not used. */
  readonly rowsLeave: boolean;
  /** Lists in which at most so many were ever stored are counted by reading them; other than 2,000 for tests alone. */
  readonly smallList?: number;
}

const SMALL_LIST = 2_000;
/** Entries that are read into memory for one answer, at most. */
const MAX_ENTRIES = 50_000;
/** Rows are in the table for at least so long, ms (docs/archive.md). */
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

const countDirectly = async (
  table: Table,
  { range, filter }: FilteredList,
  spans: readonly Span[],
): Promise<number> => {
  const rest = allOf([range.filter, conditionOf(filter)]);
  const counts = await Promise.all(
    merged(spans).map(({ from, until }) =>
      countAll(table, { ...range, sort: between({ from, to: until - 1 }), filter: rest }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};

/**
 * How many messages of a list match its filter within a window: exactly, at a cost that depends on the time that the list spans, and on what is
 * new or changed late, rather than on how many messages it has. `size`: how many it may have.
 */
export const filteredTotal = async (
  { table, clock, rowsLeave, smallList = SMALL_LIST }: ListReading,
  list: FilteredList,
  { from = 0, to = Number.POSITIVE_INFINITY }: Window,
  size: number,
): Promise<number> => {
  const whole = { from: Math.max(0, from), until: to + 1 };
  if (size <= smallList) return countDirectly(table, list, [whole]);
  const now = clock();
  const stays = rowsLeave ? Math.max(whole.from, Math.min(whole.until, now - STAYS_MS)) : whole.from;
  const { direct, runs } = cover({ from: stays, until: whole.until }, now);
  const older = stays > whole.from ? [{ from: whole.from, until: stays }] : [];
  const limits = { budget: { left: MAX_ENTRIES }, worthStoring: smallList / 4 };
  const counted = await Promise.all(runs.map((run) => countRun(table, list, run, limits)));
  const spans = [...older, ...direct, ...counted.flatMap(({ left }) => left)];
  return (await countDirectly(table, list, spans)) + counted.reduce((sum, { total }) => sum + total, 0);
};
