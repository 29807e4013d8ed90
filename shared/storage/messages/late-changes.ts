import { isoTime } from '../../domain/core/time.ts';
import type { ListedState, MessageRecord } from '../../domain/message/message.ts';
import { LENGTH_MS, type Level, settledLevel, startOf } from '../../domain/message/settled.ts';
import { KEYS } from '../access-patterns.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { listShardOf } from '../table-indexes.ts';
import { isUnlisted } from './message-rows.ts';

/** Whether lists show a message; also one in flight, once its result was uncertain or overdue. */
const isListed = (message: MessageRecord): boolean =>
  !message.withdrawn && (!isUnlisted(message) || message.uncertain === true || (message.inquiries ?? 0) > 0);

/** The mutable fields that lists filter by. */
export const listedState = (message: MessageRecord): ListedState => {
  const { status, via, archivedAt } = message;
  if (!isListed(message)) return null;
  return { status, ...(via ? { via } : {}), ...(archivedAt === undefined ? {} : { archived: true }) };
};

const KEPT_IN = { hour: 'settledHour', day: 'settledDay' } as const satisfies Record<Level, keyof MessageRecord>;

/** The level whose counts are outdated by a message's first change at `now` (ms); undefined if none, as in the first half hour. */
const firstLateLevel = (message: MessageRecord, now: number): Level | undefined => {
  const level = settledLevel(message.createdAt, now);
  return level === undefined || message[KEPT_IN[level]] !== undefined ? undefined : level;
};

/**
 * The previous state that a write which changes a message's status, carrier or archiving, or lists it, must preserve: for `setOnce`. The
 * write's condition guarantees that state, and `markLate` must have been called with the same message and time before.
 */
export const keptState = (message: MessageRecord, now: number): Readonly<Record<string, unknown>> => {
  const level = firstLateLevel(message, now);
  return level === undefined ? {} : { [KEPT_IN[level]]: listedState(message) };
};

/** How long counts of hours, and marks of their changes, are kept, in ms: until their day can be counted, plus a margin. */
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
 * Marks messages that are about to change after their hour or day was settled, so that readers of its counts check them. Must be called
 * before the change: a mark without a change is harmless. One write unit and a round trip for the first late change of a message; nothing
 * for changes in time.
 */
export const markLate = async (table: Table, messages: readonly MessageRecord[], now: number): Promise<void> => {
  const marks = messages.flatMap((message) => {
    const level = firstLateLevel(message, now);
    return level === undefined ? [] : [markOf(message, level)];
  });
  if (marks.length > 0) await table.putMany(marks);
};
