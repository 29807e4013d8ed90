import { isoTime } from '../core/time.ts';

const HOUR_MS = 3_600_000;
const DAY_HOURS = 24;

/** At most `messages` sends that count to a contact within any `days` times 24 hours (docs/spec/sends.md#frequency). */
export interface FrequencyCap {
  readonly messages: number;
  readonly days: number;
}
/** The largest cap. Older sends, and those beyond the newest `messages`, are not kept. */
export const MAX_FREQUENCY = { messages: 100, days: 365 } as const satisfies FrequencyCap;

/** Accepted sends that count, per hour since 1970 (UTC). Hours below 1 are ignored. */
export type SentByHour = ReadonlyMap<number, number>;
/** The stored counts; every change increments the version, which is 0 before the first. */
export interface SentCounts {
  readonly version: number;
  readonly byHour: SentByHour;
}

/** The counts of a contact without counted sends. */
export const NEVER_SENT: SentCounts = { version: 0, byHour: new Map() };

/** The hour of a time (ms). */
export const hourOf = (at: number): number => Math.floor(at / HOUR_MS);

/** The first hour that counts within this many days before `now` (ms): whole hours, so that no window exceeds its cap. */
const firstHour = (days: number, now: number): number => hourOf(now) - days * DAY_HOURS;

/** The hours that count, oldest first. */
const counting = (byHour: SentByHour, days: number, now: number) =>
  [...byHour].filter(([hour, sends]) => sends > 0 && hour >= firstHour(days, now)).sort(([a], [b]) => a - b);

/** The number of sends within this many days before `now` (ms). */
export const sentWithin = (byHour: SentByHour, days: number, now: number): number =>
  counting(byHour, days, now).reduce((sum, [, sends]) => sum + sends, 0);

/** From when (ms) a cap allows another send: `now` if it already does, else the end of the hour in which enough sends expire. */
export const fitsFrom = (byHour: SentByHour, { messages, days }: FrequencyCap, now: number): number => {
  let sends = sentWithin(byHour, days, now);
  for (const [hour, inHour] of counting(byHour, days, now)) {
    if (sends < messages) break;
    sends -= inHour;
    if (sends < messages) return (hour + days * DAY_HOURS + 1) * HOUR_MS;
  }
  return now;
};

/** The hours that no cap needs any more, to be dropped by a send at `now` (ms); never its own hour. */
export const staleHours = (byHour: SentByHour, now: number): number[] => {
  const kept = new Set<number>([hourOf(now)]);
  let newer = 0;
  for (const [hour, sends] of counting(byHour, MAX_FREQUENCY.days, now).toReversed()) {
    if (newer >= MAX_FREQUENCY.messages) break;
    newer += sends;
    kept.add(hour);
  }
  return [...byHour.keys()].filter((hour) => !kept.has(hour));
};

/** The counted sends of a contact, as its export shows them: newest first. */
export const sentView = ({ byHour }: SentCounts) =>
  [...byHour]
    .filter(([, sends]) => sends > 0)
    .sort(([a], [b]) => b - a)
    .map(([hour, messages]) => ({ hour: isoTime(hour * HOUR_MS), messages }));
