import * as z from 'zod';
import { isoTime } from '../../../domain/core/time.ts';
import { LENGTH_MS } from '../../../domain/message/settled.ts';
import { KEYS } from '../../access-patterns.ts';
import type { Row } from '../../client/row.ts';
import type { Table } from '../../client/table.ts';
import { HOUR_COUNTS_MS } from '../late-changes.ts';
import type { Kind, Run } from './cover.ts';
import type { Counts } from './list-filter.ts';

/** Identifies the counts of a list: its index partition, and whether they are by batch. */
export interface CountedAs {
  readonly list: string;
  readonly byBatch: boolean;
}

/** Maximum groups per row, so that none approaches 400 KB: periods with more are counted by reading them. */
const MAX_GROUPS = 2_000;
/** Whether counts fit into a row. */
export const isStorable = (counts: Counts): boolean => Object.keys(counts).length <= MAX_GROUPS;

/** The key of the stored data of an hour or day, by its kind. */
export const countKey = ({ list, byBatch }: CountedAs, what: string, from: number) =>
  KEYS.listCount(list, byBatch ? `${what}ByBatch` : what, isoTime(from));

/** When the stored data of an hour or day expires: hours are kept until their day can be counted. */
export const expiryOf = (kind: Kind, from: number): { readonly ttl?: number } =>
  kind === 'hour' ? { ttl: Math.ceil((from + HOUR_COUNTS_MS) / 1000) } : {};

const countRow = z.object({ sk: z.string(), counts: z.record(z.string(), z.int()) });

/** The stored counts of a run, by the start of their hour or day, ascending. One query. */
export const readCounts = async (
  table: Table,
  of: CountedAs,
  { kind, from, until }: Run,
): Promise<Map<number, Counts>> => {
  const { pk: partition, sk: lower } = countKey(of, kind, from);
  const { sk: upper } = countKey(of, kind, until - 1);
  const rows = await table.queryAll({
    partition,
    sort: { text: '#sk BETWEEN :lower AND :upper', values: { lower, upper } },
  });
  return new Map(
    rows.map((row) => {
      const { sk, counts } = countRow.parse(row);
      return [Date.parse(sk.slice(sk.indexOf('#') + 1)), counts];
    }),
  );
};

/**
 * Stores counts of whole hours or days. They never change, and every process computes the same, so that no condition is needed. A write
 * unit each, 25 per round trip.
 */
export const writeCounts = async (
  table: Table,
  of: CountedAs,
  kind: Kind,
  counted: ReadonlyMap<number, Counts>,
): Promise<void> => {
  const rows = [...counted].flatMap(([from, counts]): Row[] => {
    if (!isStorable(counts)) return [];
    return [{ ...countKey(of, kind, from), counts, ...expiryOf(kind, from) }];
  });
  await table.putMany(rows);
};

/** The total of a row's counts. */
export const sizeOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0);

/** The length of a kind's period, ms. */
export const lengthOf = (kind: Kind): number => LENGTH_MS[kind === 'day' ? 'day' : 'hour'];
