import * as z from 'zod';
import type { Id } from '../../../domain/core/ids.ts';
import { parseId } from '../../../domain/core/ids.ts';
import { isoTime } from '../../../domain/core/time.ts';
import type { Channel } from '../../../domain/message/channel.ts';
import type { ListedState } from '../../../domain/message/message.ts';
import { type Level, settledState } from '../../../domain/message/settled.ts';
import { KEYS } from '../../access-patterns.ts';
import { oneOf } from '../../client/conditions.ts';
import type { Row } from '../../client/row.ts';
import type { Table } from '../../client/table.ts';
import { listedState } from '../late-changes.ts';
import { messageRows } from '../message-rows.ts';
import { KINDS, type Run } from './cover.ts';
import { type Facts, factsOf } from './list-filter.ts';

/** Where the late changes of a list's messages are marked: the number of shards besides the first. */
export interface Marked {
  readonly organizationId: Id<'organization'>;
  readonly channel: Channel;
  readonly shards: number;
  readonly campaignId: string | undefined;
}

export interface Mark {
  readonly id: Id<'message'>;
  readonly createdAt: number;
}

const markRow = z.object({ sk: z.string() });
const readMark = (row: Row): Mark => {
  const [, createdAt = '', id] = markRow.parse(row).sk.split('#');
  return { id: parseId('message', id), createdAt: Date.parse(createdAt) };
};

const marksAt = async (
  table: Table,
  { organizationId, channel, shards, campaignId }: Marked,
  level: Level,
  { from, until }: Run,
): Promise<Mark[]> => {
  const keyAt = (ms: number, shard: number) => KEYS.lateChange(organizationId, channel, level, isoTime(ms), '', shard);
  const found = await Promise.all(
    Array.from({ length: shards + 1 }, (_, shard) => {
      const { pk: partition, sk: lower } = keyAt(from, shard);
      const { sk: upper } = keyAt(until, shard);
      return table.queryAll({
        partition,
        sort: { text: '#sk BETWEEN :lower AND :upper', values: { lower, upper } },
        filter: campaignId === undefined ? undefined : oneOf('campaignId', [campaignId]),
        only: ['sk'],
        consistent: true,
      });
    }),
  );
  return found.flat().map(readMark);
};

/**
 * The messages of a run that may have changed since its hours or days were settled. Strongly consistent: includes all earlier marks. Counts
 * of hours are outdated by changes of either level.
 */
export const readMarks = async (table: Table, marked: Marked, run: Run): Promise<Mark[]> => {
  const levels: readonly Level[] = KINDS[run.kind].level === 'day' ? ['day'] : ['hour', 'day'];
  const marks = (await Promise.all(levels.map((level) => marksAt(table, marked, level, run)))).flat();
  return [...new Map(marks.map((mark) => [mark.id, mark])).values()];
};

/** The facts of a message now, and when its hour or day was settled; undefined if no list showed it. */
export interface LateMessage extends Mark {
  readonly now: Facts | undefined;
  readonly settled: Facts | undefined;
}

const factsIn = (row: Row, state: ListedState): Facts | undefined =>
  state === null
    ? undefined
    : {
        ...factsOf(row),
        status: state.status,
        via: state.via ?? '',
        archived: state.archived ? 'archived' : '',
      };

/** Marked messages in their present and settled states. One read unit each, 100 per round trip. */
export const readLate = async (table: Table, marks: readonly Mark[], level: Level): Promise<LateMessage[]> => {
  const rows = await table.getMany(
    marks.map(({ id }) => KEYS.message(id)),
    { consistent: true },
  );
  return marks.flatMap((mark, at) => {
    const row = rows[at];
    if (!row) return [];
    const message = messageRows.read(row);
    const present = listedState(message);
    return [{ ...mark, now: factsIn(row, present), settled: factsIn(row, settledState(message, level, present)) }];
  });
};
