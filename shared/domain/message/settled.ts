import type { ListedState, MessageRecord } from './message.ts';

/**
 * Periods (UTC) whose messages are counted in the state that they had when the period of their creation was settled.
 */
export type Level = 'hour' | 'day';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The length of an hour and of a day, ms. */
export const LENGTH_MS: Readonly<Record<Level, number>> = { hour: HOUR_MS, day: DAY_MS };
/**
 * How long after its end each period is settled, ms: the hour after most outcomes; the day after all, since provider
 * references expire after 30 days.
 */
const SETTLED_AFTER_MS: Readonly<Record<Level, number>> = { hour: 30 * MINUTE_MS, day: 31 * DAY_MS };
/** How long after settling the messages may be counted, ms: allows for writes in flight, index lag and clock skew. */
const MARGIN_MS = 15 * MINUTE_MS;

/** The beginning of the hour or day (ms) that a moment is in. */
export const startOf = (level: Level, ms: number): number => Math.floor(ms / LENGTH_MS[level]) * LENGTH_MS[level];

/** The end (ms) of the last hour or day whose messages may be counted at `now`. */
export const countableUntil = (level: Level, now: number): number =>
  Math.max(0, startOf(level, now - MARGIN_MS - SETTLED_AFTER_MS[level]));

const isSettled = (level: Level, createdAt: number, now: number): boolean =>
  now >= startOf(level, createdAt) + LENGTH_MS[level] + SETTLED_AFTER_MS[level];

/** The settled period of a message's creation at `now`: its day, else its hour, else none. */
export const settledLevel = (createdAt: number, now: number): Level | undefined => {
  if (isSettled('day', createdAt, now)) return 'day';
  return isSettled('hour', createdAt, now) ? 'hour' : undefined;
};

/** The state that a message had when its hour or day was settled, kept by its first change after that. */
export type KeptStates = Pick<MessageRecord, 'settledHour' | 'settledDay'>;

/**
 * The state of a message when its hour or day was settled, given its present one. If it changed only after both, only
 * `settledDay` is set.
 */
export const settledState = (
  { settledHour, settledDay }: KeptStates,
  level: Level,
  present: ListedState,
): ListedState => {
  if (level === 'hour' && settledHour !== undefined) return settledHour;
  return settledDay === undefined ? present : settledDay;
};
