import { expect } from 'vitest';
import { cell, tableUnder } from './cost-page.ts';
import type { Metered, startMetered } from './metering.ts';

/** A row of a table of docs/cost.md: an operation, and what it takes to run it once. */
export interface CostRow {
  readonly name: string;
  /** `nth` counts the runs of the row, from 0. */
  readonly run: (nth: number) => Promise<unknown>;
  /** Preparation, which is not counted, and neither is the work of its consumers. */
  readonly first?: (nth: number) => Promise<unknown>;
  /** Its figures are divided by this, and whole: how many messages a consumer gets at once varies. */
  readonly of?: number;
}
type Figures = Readonly<Record<string, Metered>>;
interface MeasureOptions {
  readonly documented?: Figures;
  readonly runs?: number;
  readonly withConsumers?: boolean;
}
type Service = Pick<Awaited<ReturnType<typeof startMetered>>, 'metered' | 'quiet'>;

/** The figures under a heading of docs/cost.md, by operation. */
export const documentedUnder = (heading: string): Figures =>
  Object.fromEntries(
    tableUnder(heading).map((row) => [
      row[0],
      { writeUnits: cell(row, 1), readUnits: cell(row, 2), trips: cell(row, 3), messages: cell(row, 4) },
    ]),
  );

const dividedBy = (divisor: number, metered: Metered): Metered =>
  divisor === 1
    ? metered
    : {
        writeUnits: Math.round(metered.writeUnits / divisor),
        readUnits: Math.round(metered.readUnits / divisor),
        trips: Math.round(metered.trips / divisor),
        messages: Math.round(metered.messages / divisor),
      };

const costOf = ({ writeUnits, trips }: Metered): number => writeUnits + trips;
/** Runs of a row that costs more than documented, after which it does. */
const MAX_RUNS = 9;

/**
 * Measures rows in their order: of each the least of `runs`, after one that fills the caches. Functions trust settings for seconds: where a
 * run takes longer, on a loaded machine, it reads them again; so one that costs more than `documented` is run again. `withConsumers`: with
 * the work of consumers.
 */
export const measureRows = async (
  service: Service,
  rows: readonly CostRow[],
  { documented = {}, runs = 2, withConsumers = false }: MeasureOptions = {},
): Promise<Figures> => {
  const measured: Record<string, Metered> = {};
  for (const { name, run, first, of = 1 } of rows) {
    const atMost = documented[name] ? costOf(documented[name]) : Number.POSITIVE_INFINITY;
    let least: Metered | undefined;
    const isMore = () => least !== undefined && costOf(dividedBy(of, least)) > atMost;
    for (let nth = 0; nth <= runs || (isMore() && nth <= MAX_RUNS); nth++) {
      await first?.(nth);
      // A run that is counted with its consumers ends when they are done.
      if (first || !withConsumers) await service.quiet();
      const taken = await service.metered(() => run(nth), withConsumers);
      if (nth > 0 && (!least || costOf(taken) < costOf(least))) least = taken;
    }
    if (least) measured[name] = dividedBy(of, least);
  }
  return measured;
};

/** The call must be answered so; otherwise less than the operation is counted. */
export const answered = async (
  call: Promise<{ readonly status: number; readonly text: string }>,
  ...statuses: readonly [number, ...number[]]
): Promise<void> => {
  const { status, text } = await call;
  expect(status, text.slice(0, 500)).toBeOneOf([...statuses]);
};
