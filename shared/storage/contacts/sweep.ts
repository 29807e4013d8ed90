import type { SweepOutcome } from '../../domain/core/clear-links.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';

/** Rows that are erased together: a transaction holds 100 writes. */
const PAGE = 25;
/** Rows of a partition that one sweep looks at; a worker has 30 s for all of its sweeps. */
const MAX_ROWS = 500;

/** What one page came to: `later` where a row is not over yet, `more` where it met another worker. */
export type PageOutcome = SweepOutcome;

const worst = (a: SweepOutcome, b: SweepOutcome): SweepOutcome => {
  if (a === 'more' || b === 'more') return 'more';
  return a === 'later' || b === 'later' ? 'later' : 'done';
};

/** The worst of several outcomes. */
export const worstOf = (outcomes: readonly SweepOutcome[]): SweepOutcome => outcomes.reduce(worst, 'done');

/**
 * Erases the rows of a partition of an index, page by page. Rows leave the partition as they are erased, so that what is repeated begins where it
 * stopped; entries that the index still shows are read again, consistently, and known by their rows.
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
