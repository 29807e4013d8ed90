import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';

/** Rows erased together: a transaction holds 100 writes. */
const PAGE = 25;
/** Maximum rows of a partition per sweep; a worker has 30 s for all of its sweeps. */
const MAX_ROWS = 500;

/** The result of a page: `later` if a row can't be erased yet, `more` on a conflict with another worker. */
export type PageOutcome = SweepOutcome;

const worst = (a: SweepOutcome, b: SweepOutcome): SweepOutcome => {
  if (a === 'more' || b === 'more') return 'more';
  return a === 'later' || b === 'later' ? 'later' : 'done';
};

/** The most severe of several outcomes. */
export const worstOf = (outcomes: readonly SweepOutcome[]): SweepOutcome => outcomes.reduce(worst, 'done');

/**
 * Erases the rows of an index partition, page by page. Erased rows leave the partition, so that a repeat continues where it stopped;
 * entries that the index still shows are read again, consistently, and recognized by their rows.
 */
export const sweepPartition = async (
  table: Table,
  range: QueryRange,
  erase: (rows: readonly Row[]) => Promise<PageOutcome>,
): Promise<SweepOutcome> => {
  let outcome: SweepOutcome = 'done';
  let startKey: QueryRange['startKey'];
  for (let seen = 0; seen < MAX_ROWS; seen += PAGE) {
    const page = await table.query({ ...range, limit: PAGE, startKey });
    const found = await table.getMany(
      page.rows.map((row) => ({ pk: row.pk, sk: row.sk })),
      { consistent: true },
    );
    const rows = found.filter((row) => row !== undefined);
    if (rows.length > 0) outcome = worst(outcome, await erase(rows));
    startKey = page.nextKey;
    if (!startKey) return outcome;
  }
  return 'more';
};
