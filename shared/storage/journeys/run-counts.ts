import * as z from 'zod';
import { asId, type Id } from '../../domain/core/ids.ts';
import { JOURNEY_ITSELF } from '../../domain/journeys/counting.ts';
import type { JourneyCounts } from '../../domain/journeys/run-ports.ts';
import { KEYS } from '../access-patterns.ts';
import { type Counts, countWrites } from '../automation/counters.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { RUN_COUNT_ROWS } from '../table-indexes.ts';

/** The journey whose runs are counted. */
interface Counted {
  readonly organizationId: Id<'organization'>;
  readonly journeyId: Id<'journey'>;
}

const isCounted = ([, by]: [string, number]): boolean => by !== 0;

/** Adds to run counters on a random row, and on another one at each further attempt. */
const runWrites = ({ organizationId, journeyId }: Counted, counts: Counts): WriteOp[] => {
  const add = Object.fromEntries(Object.entries(counts).filter(isCounted));
  const anyRow = () => KEYS.journeyRunCounts(organizationId, Math.floor(Math.random() * RUN_COUNT_ROWS), journeyId);
  return Object.keys(add).length === 0 ? [] : [{ update: anyRow(), add, elsewhere: anyRow }];
};

/** The writes that update run counters, on rows drawn randomly each time; in the transaction of the change. */
export const runCountWrites = (of: Counted, counts: JourneyCounts): WriteOp[] => {
  const { journeyId } = of;
  const steps = [...counts].filter(([stepId]) => stepId !== JOURNEY_ITSELF);
  return [
    ...runWrites(of, counts.get(JOURNEY_ITSELF) ?? {}),
    ...countWrites(steps.map(([stepId, own]) => ({ counted: { journeyId, stepId }, counts: own }))),
  ];
};

const ROWS = Array.from({ length: RUN_COUNT_ROWS }, (_, row) => row);
const numberSchema = z.number();
type Sums = Map<Id<'journey'>, Record<string, number>>;

const addTo = (sums: Sums, id: Id<'journey'>, counts: Readonly<Record<string, unknown>>): void => {
  const sum = sums.get(id) ?? {};
  sums.set(id, sum);
  for (const [name, by] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + numberSchema.parse(by);
};

/** The run counters of one journey. A read of 16 short rows. */
export const readRunCounts = async (table: Table, { organizationId, journeyId }: Counted): Promise<Counts> => {
  const sums: Sums = new Map();
  const rows = await table.getMany(
    ROWS.map((row) => KEYS.journeyRunCounts(organizationId, row, journeyId)),
    { consistent: true },
  );
  for (const { pk: _, sk: __, ...counts } of rows.filter((row) => row !== undefined)) addTo(sums, journeyId, counts);
  return sums.get(journeyId) ?? {};
};

/** The run counters of all journeys of an organization. 16 queries in parallel: half a read unit per about 40 journeys. */
export const readAllRunCounts = async (
  table: Table,
  organizationId: Id<'organization'>,
): Promise<ReadonlyMap<Id<'journey'>, Counts>> => {
  const sums: Sums = new Map();
  const found = await Promise.all(
    ROWS.map((row) => table.queryAll({ partition: KEYS.journeyRunCounts(organizationId, row, '').pk })),
  );
  for (const { pk: _, sk, ...counts } of found.flat()) {
    const id = asId('journey', sk);
    if (id) addTo(sums, id, counts);
  }
  return sums;
};
