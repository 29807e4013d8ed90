import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { type Counted, countedOf, type MessageCounts } from '../../domain/message/automation-counts.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Key, Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { AUTOMATION_PARTS, AUTOMATION_ROWS } from '../table-indexes.ts';

/** Numbers by their names. An absent one is 0. */
export type Counts = Readonly<Record<string, number>>;

const below = (count: number): number => Math.floor(Math.random() * count);

const ROWS = AUTOMATION_PARTS * AUTOMATION_ROWS;
/** One of the rows of a counter: any will do, since they are summed. */
const rowAt = (counted: Counted, at: number): Key => {
  const [part, row] = [at % AUTOMATION_PARTS, Math.floor(at / AUTOMATION_PARTS)];
  return 'campaignId' in counted
    ? KEYS.campaignCounts(counted.campaignId, part, row)
    : KEYS.journeyCounts(counted.journeyId, part, counted.stepId, row);
};

/** Adds to a random row, and to another one at each further attempt of its transaction. */
const addWrite = (counted: Counted, add: Readonly<Record<string, number>>): WriteOp => {
  let at = below(ROWS);
  const elsewhere = () => {
    at = (at + 1 + below(ROWS - 1)) % ROWS;
    return rowAt(counted, at);
  };
  return { update: rowAt(counted, at), add, elsewhere };
};

/** An addition to a counter. */
interface Addition {
  readonly counted: Counted;
  readonly counts: Readonly<Record<string, number | undefined>>;
}

const nameOf = (counted: Counted): string =>
  'campaignId' in counted ? counted.campaignId : `${counted.journeyId} ${counted.stepId}`;

/**
 * The counting writes, one per counter, for the transaction of what is counted, whose conditions apply. Concurrent additions to the same
 * counter rarely use the same row, and use others when retried.
 */
export const countWrites = (additions: readonly Addition[]): WriteOp[] => {
  const sums = new Map<string, { readonly counted: Counted; readonly add: Record<string, number> }>();
  for (const { counted, counts } of additions) {
    const sum = sums.get(nameOf(counted)) ?? { counted, add: {} };
    sums.set(nameOf(counted), sum);
    for (const [name, by = 0] of Object.entries(counts)) sum.add[name] = (sum.add[name] ?? 0) + by;
  }
  return [...sums.values()].flatMap(({ counted, add: sum }): WriteOp[] => {
    const add = Object.fromEntries(Object.entries(sum).filter(([, by]) => by !== 0));
    return Object.keys(add).length === 0 ? [] : [addWrite(counted, add)];
  });
};

/** The writes that count messages; none for those that neither a journey nor a campaign sent. */
export const messageCountWrites = (
  messages: readonly (readonly [Pick<MessageRecord, 'journey' | 'campaign'>, MessageCounts])[],
): WriteOp[] =>
  countWrites(
    messages.flatMap(([message, counts]) => {
      const counted = countedOf(message);
      return counted ? [{ counted, counts }] : [];
    }),
  );

const PARTS = Array.from({ length: AUTOMATION_PARTS }, (_, part) => part);
const number = z.number();

const addRow = (sum: Record<string, number>, { pk: _, sk: __, ...counts }: Row): void => {
  for (const [name, by] of Object.entries(counts)) sum[name] = (sum[name] ?? 0) + number.parse(by);
};

const rowsOf = async (table: Table, partitionOf: (part: number) => string, consistent: boolean): Promise<Row[]> => {
  const found = await Promise.all(PARTS.map((part) => table.queryAll({ partition: partitionOf(part), consistent })));
  return found.flat();
};

/**
 * The counters of a campaign. A query of each of its partitions, in parallel: half a read unit each, or one if `consistent`, as decisions
 * require.
 */
export const readCampaignCounts = async (
  table: Table,
  campaignId: Id<'campaign'>,
  { consistent = false } = {},
): Promise<Counts> => {
  const sum: Record<string, number> = {};
  for (const row of await rowsOf(table, (part) => KEYS.campaignCounts(campaignId, part, 0).pk, consistent))
    addRow(sum, row);
  return sum;
};

/**
 * The counters of a journey, by step and transition keys; those of the journey itself under the empty key. As many queries as for a
 * campaign, however many steps it has, at half a read unit per about 30 rows.
 */
export const readJourneyCounts = async (
  table: Table,
  journeyId: Id<'journey'>,
  { consistent = false } = {},
): Promise<ReadonlyMap<string, Counts>> => {
  const sums = new Map<string, Record<string, number>>();
  for (const row of await rowsOf(table, (part) => KEYS.journeyCounts(journeyId, part, '', 0).pk, consistent)) {
    const stepId = PARSE_KEY.journeyCounts(row);
    const sum = sums.get(stepId) ?? {};
    sums.set(stepId, sum);
    addRow(sum, row);
  }
  return sums;
};
