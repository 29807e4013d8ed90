import type { Refusal } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';
import { canonicalTimeZone, momentOfWallTime, wallTime } from '../core/wall-time.ts';
import { hourOf } from '../message/outcome.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const GRANULARITIES = ['hour', 'day'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** The time zone of the days where the caller names none: the same as that of the volume bands' months. */
export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo';

/** In days: the longest window, and the default length where the caller gives no `from`. */
export const WINDOW_DAYS: Readonly<Record<Granularity, { readonly most: number; readonly usual: number }>> = {
  hour: { most: 31, usual: 1 },
  day: { most: 93, usual: 30 },
};

/** The caller's query. `from` and `to`: ISO 8601 times, both inclusive. */
export interface MetricsQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly granularity: Granularity;
  readonly timeZone: string;
}

/** The hours or days that overlap a window. `edges`: the start of each and the end of the last, in ms; at least two. */
export interface Buckets {
  readonly granularity: Granularity;
  readonly timeZone: string;
  readonly edges: readonly number[];
}

const hoursBetween = (from: number, to: number): number[] => {
  const edges: number[] = [];
  for (let at = hourOf(from); at <= hourOf(to) + HOUR_MS; at += HOUR_MS) edges.push(at);
  return edges;
};

const daysBetween = (timeZone: string, from: number, to: number): number[] => {
  const dayOf = (at: number) => Math.floor(wallTime(timeZone, at) / DAY_MS);
  const [first, last] = [dayOf(from), dayOf(to)];
  return Array.from({ length: last - first + 2 }, (_, at) => momentOfWallTime(timeZone, (first + at) * DAY_MS));
};

/**
 * The hours or days of a window. 422 if it ends before it starts or is too long, for an unknown time zone, and for a time zone whose days do not start
 * on an hour of UTC: counts are kept by the hour.
 */
export const bucketsOf = (
  { from, to, granularity, timeZone }: MetricsQuery,
  now: number,
): Buckets | Refusal<'VALIDATION_ERROR'> => {
  const refuseWindow = (path: string, message: string) => refuseField('There are no such metrics.', path, message);
  const zone = canonicalTimeZone(timeZone);
  if (zone === undefined) return refuseWindow('timeZone', 'must be a time zone of the IANA list');
  const { most, usual } = WINDOW_DAYS[granularity];
  const end = to === undefined ? Math.max(now, from === undefined ? now : Date.parse(from)) : Date.parse(to);
  const begin = from === undefined ? end - usual * DAY_MS : Date.parse(from);
  if (end < begin || end - begin > most * DAY_MS)
    return refuseWindow(to === undefined ? 'from' : 'to', `must be from 0 to ${most} days after from`);
  const edges = granularity === 'hour' ? hoursBetween(begin, end) : daysBetween(zone, begin, end);
  if (edges.some((edge) => edge !== hourOf(edge)))
    return refuseWindow('timeZone', 'must be one whose days start on an hour of UTC');
  return { granularity, timeZone, edges };
};
