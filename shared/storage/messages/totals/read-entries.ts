import * as z from 'zod';
import { between, partsOf, type ShardedRange } from '../../client/pages.ts';
import type { QueryRange, Table } from '../../client/table.ts';
import { PARSE_KEY } from '../../parse-key.ts';
import type { Span } from './cover.ts';
import { FACT_ATTRIBUTES, type Facts, factsOf } from './list-filter.ts';

/** How many entries may still be read into memory for one response: beyond that they are only counted. */
export interface Budget {
  left: number;
}

export interface Entry {
  readonly id: string;
  readonly createdAt: number;
  readonly facts: Facts;
}

/** All entries of a span up to a time at which one of its periods starts or the span ends. */
export interface Entries {
  readonly entries: readonly Entry[];
  readonly until: number;
}

const readEntry = (index: string) => {
  const sortKey = z.string();
  return (row: { readonly pk: string; readonly [name: string]: unknown }): Entry => ({
    id: PARSE_KEY.message(row),
    createdAt: Date.parse(sortKey.parse(row[`${index}sk`]).split('#', 1)[0] ?? ''),
    facts: factsOf(row as Parameters<typeof factsOf>[0]),
  });
};

/** How a span is read: in whole periods of so many ms, at least the first `least` of them, however many entries they have. */
export interface ReadIn {
  readonly periodMs: number;
  readonly least: number;
}

/** The entries of one partition in ascending order, as far as the budget allows; complete up to `until`. */
const readPart = async (
  table: Table,
  range: QueryRange,
  span: Span,
  { periodMs, least }: ReadIn,
  budget: Budget,
): Promise<Entries> => {
  const read = readEntry(range.index ?? 'gsi1');
  const entries: Entry[] = [];
  const whole = () => Math.floor(((entries.at(-1)?.createdAt ?? span.from) - span.from) / periodMs);
  let startKey: QueryRange['startKey'];
  do {
    const page = await table.query({ ...range, startKey, limit: Math.max(1, budget.left) });
    entries.push(...page.rows.map(read));
    budget.left -= page.rows.length;
    startKey = page.nextKey;
  } while (startKey && (budget.left > 0 || whole() < least));
  return { entries, until: startKey ? span.from + whole() * periodMs : span.until };
};

/** Reads the entries of a span of a list from its start, as far as the budget allows; over all of its partitions. */
export const readEntries = async (
  table: Table,
  list: ShardedRange,
  span: Span,
  readIn: ReadIn,
  budget: Budget,
): Promise<Entries> => {
  const sort = between({ from: span.from, to: span.until - 1 });
  const only = ['pk', `${list.index}sk`, ...FACT_ATTRIBUTES];
  const parts = await Promise.all(
    partsOf({ ...list, sort, filter: undefined, only }).map((part) => readPart(table, part, span, readIn, budget)),
  );
  const until = Math.min(...parts.map((part) => part.until));
  return { entries: parts.flatMap(({ entries }) => entries.filter(({ createdAt }) => createdAt < until)), until };
};
