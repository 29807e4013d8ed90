import type { Refusal } from '../core/errors.ts';
import { refuseField } from '../core/refuse-field.ts';
import { canonicalTimeZone, momentOfWallTime, wallTime } from '../core/wall-time.ts';
import { hourOf } from '../message/outcome.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const GRANULARITIES = ['hour', 'day'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** The time zone whose days are told where the caller names none: that of the months of the volume. */
export const DEFAULT_TIME_ZONE = 'America/Sao_Paulo';

/** The longest window, and the one before its end where the caller names no beginning, in days. */
export const WINDOW_DAYS: Readonly<Record<Granularity, { readonly most: number; readonly usual: number }>> = {
  hour: { most: 31, usual: 1 },
  day: { most: 93, usual: 30 },
};

/** What the caller asks for. `from` and `to`: texts of moments, both inclusive. */
export interface MetricsQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly granularity: Granularity;
  readonly timeZone: string;
}

/** The hours or days that a window touches: where each begins and the last one ends, in ms; at least two moments. */
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
 * The hours or days of a window. 422 for one that ends before it begins or is too long, for an unknown time zone, and for days of one that do not begin
 * with an hour of UTC: hours are what is counted.
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
    return refuseWindow('timeZone', 'must be one whose days begin with an hour of UTC');
  return { granularity, timeZone, edges };
};
