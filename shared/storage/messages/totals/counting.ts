import * as z from 'zod';
import { CHANNELS } from '../../../domain/channels/registry.ts';
import type { Id } from '../../../domain/core/ids.ts';
import type { Channel } from '../../../domain/message/channel.ts';
import { KEYS } from '../../access-patterns.ts';
import { id } from '../../client/attributes.ts';
import { ABSENT, EXISTS } from '../../client/conditions.ts';
import type { Key } from '../../client/row.ts';
import { defineRow } from '../../client/row-codec.ts';
import type { Table } from '../../client/table.ts';
import { INDEX_KEYS } from '../../index-patterns.ts';
import { readRow } from '../../read-row.ts';
import { type PartialCount, partialCount } from './partial-count.ts';

/** A list of sent messages of which an answer left a part uncounted: the rest is counted in the background. */
export interface Counting {
  readonly organizationId: Id<'organization'>;
  readonly channel: Channel;
  /** The index partition of the list. */
  readonly list: string;
  readonly campaignId?: string | undefined;
  /** The batch that was asked for, whose list is counted by batch. */
  readonly batchId?: string | undefined;
  /** The hour or day that the last pass began. */
  readonly partial?: PartialCount | undefined;
  /** Where the next pass begins, ms, if an hour or day before it can't be counted; 0 otherwise. */
  readonly from: number;
}

/** How long a list that can't be counted any further is left alone, ms. */
const REST_MS = 24 * 3_600_000;

const keyOf = ({ list, batchId }: Pick<Counting, 'list' | 'batchId'>): Key =>
  KEYS.listCounting(list, batchId === undefined ? 'ALL' : 'BY_BATCH');
const dueAt = ({ list }: Counting, at: number) => INDEX_KEYS.due('count_list', list, at);

const countingRows = defineRow<Counting>()({
  attributes: {
    organizationId: id('organization'),
    channel: z.enum(CHANNELS),
    list: z.string(),
    campaignId: z.string().optional(),
    batchId: z.string().optional(),
    partial: partialCount.optional(),
    from: z.number(),
  },
  key: keyOf,
});

/** Has the rest of a list counted: the key of its row; undefined if that is under way already. One write. */
export const requestCounting = async (
  table: Table,
  requested: Omit<Counting, 'from'>,
  now: number,
): Promise<Key | undefined> => {
  const counting = { ...requested, from: 0 };
  const { ok } = await table.write({ put: { ...countingRows.write(counting), ...dueAt(counting, now) }, when: ABSENT });
  return ok ? keyOf(counting) : undefined;
};

export const readCounting = (table: Table, key: Key): Promise<Counting | undefined> =>
  readRow(table, key, countingRows.read);

/** Ends the counting of a list of which nothing is left. */
export const endCounting = async (table: Table, counting: Counting): Promise<void> => {
  await table.write({ delete: keyOf(counting) });
};

/** Continues it at a time (ms). */
export const continueCounting = async (table: Table, counting: Counting, at: number): Promise<void> => {
  await table.write({ put: { ...countingRows.write(counting), ...dueAt(counting, at) }, when: EXISTS });
};

/** Ends it where some hours or days can't be counted: the row stays for a day, so that the next answer does not request it again. */
export const restCounting = async (table: Table, counting: Counting, now: number): Promise<void> => {
  const set = { ttl: Math.ceil((now + REST_MS) / 1_000) };
  await table.write({ update: keyOf(counting), set, remove: ['duePk', 'dueAt'], when: EXISTS });
};
