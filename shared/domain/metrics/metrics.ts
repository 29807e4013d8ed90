import type { Tenant } from '../core/actor.ts';
import { isoTime } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import type { OutcomeCounts } from '../message/outcome.ts';
import type { Buckets } from './window.ts';

/** The counts of a channel in an hour (its start, ms); `failures`: the number of failed messages by reason. */
export interface HourCounts {
  readonly hour: number;
  readonly channel: Channel;
  readonly counts: OutcomeCounts;
  readonly failures: Readonly<Record<string, number>>;
}

/** The counts of messages, as the interface shows them. */
export interface Figures {
  /** Messages that were sent, or failed without being sent. */
  readonly total: number;
  readonly sent: number;
  readonly delivered: number;
  readonly read: number;
  readonly failed: number;
  readonly coins: number;
}

/** The figures with their rates, each from 0 to 1; null where its denominator is 0. */
export interface RatedFigures extends Figures {
  readonly deliveryRate: number | null;
  readonly readRate: number | null;
  readonly failureRate: number | null;
}

/** Most reasons that are listed, the most frequent first. */
const MAX_FAILURES = 20;

const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

const figuresOf = (hours: readonly HourCounts[]): Figures => {
  const sum = (of: (hour: HourCounts) => number) => sumOf(hours.map(of));
  const sent = sum(({ counts }) => counts.sent);
  return {
    total: sent + sum(({ counts }) => counts.unsent),
    sent,
    delivered: sum(({ counts }) => counts.delivered),
    read: sum(({ counts }) => counts.read),
    failed: sum(({ failures }) => sumOf(Object.values(failures))),
    coins: sum(({ counts }) => counts.coins),
  };
};

const rateOf = (part: number, whole: number): number | null =>
  whole === 0 ? null : Math.round((part / whole) * 10_000) / 10_000;

const rated = (figures: Figures): RatedFigures => ({
  ...figures,
  deliveryRate: rateOf(figures.delivered, figures.sent),
  readRate: rateOf(figures.read, figures.delivered),
  failureRate: rateOf(figures.failed, figures.total),
});

const byChannel = <T extends object>(hours: readonly HourCounts[], of: (own: readonly HourCounts[]) => T) =>
  [...Map.groupBy(hours, ({ channel }) => channel)]
    .map(([channel, own]) => ({ channel, ...of(own) }))
    .sort((a, b) => (a.channel < b.channel ? -1 : 1));

const failuresOf = (hours: readonly HourCounts[]) =>
  byChannel(hours, (own) => ({
    reasons: [...new Set(own.flatMap(({ failures }) => Object.keys(failures)))].map((reason) => ({
      reason,
      count: sumOf(own.map(({ failures }) => failures[reason] ?? 0)),
    })),
  }))
    .flatMap(({ channel, reasons }) => reasons.map((each) => ({ channel, ...each })))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1))
    .slice(0, MAX_FAILURES);

/** The index of the bucket that a moment is in. */
const bucketAt = (edges: readonly number[], at: number): number => edges.findLastIndex((edge) => edge <= at);

/** Metrics on the wire (docs/spec/metrics.md#shape): totals, totals by channel, and one item for each hour or day of the window, empty ones included. */
export const metricsView = (
  { env }: Pick<Tenant, 'env'>,
  { granularity, timeZone, edges }: Buckets,
  hours: readonly HourCounts[],
) => {
  const counted = Map.groupBy(hours, ({ hour }) => bucketAt(edges, hour));
  return {
    env,
    granularity,
    timeZone,
    from: isoTime(edges[0] ?? 0),
    to: isoTime(edges.at(-1) ?? 0),
    totals: rated(figuresOf(hours)),
    channels: byChannel(hours, (own) => rated(figuresOf(own))),
    failures: failuresOf(hours),
    items: edges.slice(0, -1).map((start, at) => ({
      start: isoTime(start),
      end: isoTime(edges[at + 1] ?? start),
      channels: byChannel(counted.get(at) ?? [], figuresOf),
    })),
  };
};
