import { isoTime } from '../../domain/core/time.ts';
import type { ListedState, MessageRecord } from '../../domain/message/message.ts';
import { LENGTH_MS, type Level, settledLevel, startOf } from '../../domain/message/settled.ts';
import { KEYS } from '../access-patterns.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { listShardOf } from '../table-indexes.ts';
import { isUnlisted } from './message-rows.ts';

/** Whether lists show a message: also one in flight, once its sender was unsure or overdue. */
const isListed = (message: MessageRecord): boolean =>
  !message.withdrawn && (!isUnlisted(message) || message.uncertain === true || (message.inquiries ?? 0) > 0);

/** What lists filter by, of what changes on a message. */
export const listedState = (message: MessageRecord): ListedState => {
  const { status, via, archivedAt } = message;
  if (!isListed(message)) return null;
  return { status, ...(via ? { via } : {}), ...(archivedAt === undefined ? {} : { archived: true }) };
};

const KEPT_IN = { hour: 'settledHour', day: 'settledDay' } as const satisfies Record<Level, keyof MessageRecord>;

/** The level whose counts a change at `now` (ms) is the first of a message to leave behind; undefined where none is, as in the first half hour. */
const firstLateLevel = (message: MessageRecord, now: number): Level | undefined => {
  const level = settledLevel(message.createdAt, now);
  return level === undefined || message[KEPT_IN[level]] !== undefined ? undefined : level;
};

/**
 * What a write that changes a message's status, way or archiving, or lists it, keeps of the state before: for `setOnce`. The write's condition
 * holds that state fast, and `markLate` was called with the same message and moment before.
 */
export const keptState = (message: MessageRecord, now: number): Readonly<Record<string, unknown>> => {
  const level = firstLateLevel(message, now);
  return level === undefined ? {} : { [KEPT_IN[level]]: listedState(message) };
};

/** How long counts of hours, and marks of changes to them, are kept, in ms: until their day can be counted, and some. */
export const HOUR_COUNTS_MS = 45 * LENGTH_MS.day;

const markOf = (message: MessageRecord, level: Level): Row => {
  const { organizationId, channel, createdAt, id, lane = 0, campaignId } = message;
  const until = level === 'hour' ? startOf('day', createdAt) + HOUR_COUNTS_MS : undefined;
  return {
    ...KEYS.lateChange(organizationId, channel, level, isoTime(createdAt), id, listShardOf(lane)),
    ...(campaignId === undefined ? {} : { campaignId }),
    ...(until === undefined ? {} : { ttl: Math.ceil(until / 1000) }),
  };
};

/**
 * Marks messages that are about to change after their hour or day was settled, so that readers of its counts look at them. Before the change: a
 * mark without one does no harm. One write unit and a round trip for the first late change of a message; nothing for what comes in time.
 */
export const markLate = async (table: Table, messages: readonly MessageRecord[], now: number): Promise<void> => {
  const marks = messages.flatMap((message) => {
    const level = firstLateLevel(message, now);
    return level === undefined ? [] : [markOf(message, level)];
  });
  if (marks.length > 0) await table.putMany(marks);
};
