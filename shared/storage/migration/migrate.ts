import * as z from 'zod';
import { pause } from '../../domain/core/pause.ts';
import { KEYS } from '../access-patterns.ts';
import type { Key } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { judgeRow, type RowOutcome, rewriteRow } from './rewrite-row.ts';
import { REWRITES, type Rewrites } from './rewrites.ts';
import { kindOfRow } from './row-kinds.ts';

/** Counts of an entity's rows: all, and those of an older shape by result. */
export type Counts = Readonly<Record<'busy' | 'rewritten' | 'rows' | 'unreadable', number>>;
export type CountsByKind = Readonly<Record<string, Counts>>;

const NONE: Counts = { rows: 0, rewritten: 0, busy: 0, unreadable: 0 };
/** The kind of rows whose key matches no entry of the key table. */
const UNKNOWN = 'unknown';
/** Rows of a page, after which progress is written. */
const PAGE = 100;

const add = (one: Counts = NONE, other: Counts = NONE): Counts => ({
  rows: one.rows + other.rows,
  rewritten: one.rewritten + other.rewritten,
  busy: one.busy + other.busy,
  unreadable: one.unreadable + other.unreadable,
});
/** The sums of two reports, by entity. */
const addAll = (one: CountsByKind, other: CountsByKind): CountsByKind => ({
  ...one,
  ...Object.fromEntries(Object.entries(other).map(([kind, counts]) => [kind, add(one[kind], counts)])),
});

interface Progress {
  /** The target shapes, and the number of segments: the progress of another migration is ignored. */
  readonly target: string;
  readonly after?: Key | undefined;
  readonly isOver: boolean;
  readonly counts: CountsByKind;
}
const count = z.int();
const progressRows = defineRow<Progress>()({
  attributes: {
    target: z.string(),
    after: z.object({ pk: z.string(), sk: z.string() }).optional(),
    isOver: z.boolean(),
    counts: z.record(z.string(), z.object({ rows: count, rewritten: count, busy: count, unreadable: count })),
  },
  key: (_, segment: number) => KEYS.migration(segment),
});

export interface MigrationSettings {
  /** Segments that are read in parallel. */
  readonly segments: number;
  /** Maximum rows per second over all segments, to leave capacity for traffic. */
  readonly rowsPerSecond: number;
  /** Writes nothing, and counts what would be rewritten. */
  readonly dryRun?: boolean;
  readonly rewrites?: Rewrites;
}

const targetOf = ({ rewrites = REWRITES, segments }: MigrationSettings): string =>
  JSON.stringify([segments, ...Object.entries(rewrites).map(([kind, { codec }]) => `${kind}:${codec.version}`)]);

const started = (settings: MigrationSettings): Progress => ({ target: targetOf(settings), isOver: false, counts: {} });

/** Where a segment continues. */
const readProgress = async (table: Table, segment: number, settings: MigrationSettings): Promise<Progress> => {
  const row = settings.dryRun ? undefined : await table.get(KEYS.migration(segment));
  const progress = row && progressRows.read(row);
  return progress?.target === targetOf(settings) ? progress : started(settings);
};

const migratePage = async (table: Table, progress: Progress, segment: number, settings: MigrationSettings) => {
  const { rewrites = REWRITES, segments: of, dryRun } = settings;
  const { rows, last } = await table.scan({ segment, of, after: progress.after, limit: PAGE });
  let counts = progress.counts;
  for (const row of rows) {
    const kind = kindOfRow(row);
    const rewrite = kind && rewrites[kind];
    const judge = async (): Promise<RowOutcome> => {
      if (!rewrite) return 'current';
      return dryRun ? judgeRow(rewrite, row) : rewriteRow(table, rewrite, row);
    };
    const outcome = await judge();
    counts = addAll(counts, {
      [kind ?? UNKNOWN]: { ...NONE, rows: 1, ...(outcome === 'current' ? {} : { [outcome]: 1 }) },
    });
  }
  return { progress: { ...progress, counts, after: last, isOver: !last }, rows: rows.length };
};

const migrateSegment = async (table: Table, segment: number, settings: MigrationSettings): Promise<CountsByKind> => {
  let progress = await readProgress(table, segment, settings);
  while (!progress.isOver) {
    const from = performance.now();
    const page = await migratePage(table, progress, segment, settings);
    progress = page.progress;
    if (!settings.dryRun) await table.write({ put: progressRows.write(progress, segment) });
    const lastsMs = (page.rows * 1000 * settings.segments) / settings.rowsPerSecond;
    await pause(Math.max(0, lastsMs - (performance.now() - from)));
  }
  return progress.counts;
};

/**
 * Rewrites all rows of a table to their newest shape, in place, while the service is running: readers understand both shapes, and a row is
 * only rewritten if unchanged. One Scan, in parallel segments. An interrupted run continues at the last page of each segment; rows
 * rewritten after that count as up to date. Returns the counts of rows by entity.
 */
export const migrateTable = async (table: Table, settings: MigrationSettings): Promise<CountsByKind> => {
  const numbers = Array.from({ length: settings.segments }, (_, segment) => segment);
  const runs = await Promise.allSettled(numbers.map((segment) => migrateSegment(table, segment, settings)));
  const counts = runs.map((run) => {
    if (run.status === 'rejected') throw run.reason;
    return run.value;
  });
  if (!settings.dryRun) await Promise.all(numbers.map((segment) => table.write({ delete: KEYS.migration(segment) })));
  return counts.reduce(addAll, {});
};
