import type { ChannelFigures, Metrics, MetricsGetQuery } from '../../sdk.ts';

export type Channel = ChannelFigures['channel'];
/** In the order of the contract, which charts and tables keep. */
export const CHANNELS = ['whatsapp', 'email', 'sms', 'rcs', 'push', 'instagram'] as const satisfies readonly Channel[];

export const RANGES = ['24h', '7d', '30d'] as const;
export type Range = (typeof RANGES)[number];
export const DEFAULT_RANGE: Range = '7d';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** How long a range is, less its last hour or day, which is the present one. */
const LENGTH: Readonly<Record<Range, { readonly granularity: 'hour' | 'day'; readonly ms: number }>> = {
  '24h': { granularity: 'hour', ms: 23 * HOUR_MS },
  '7d': { granularity: 'day', ms: 6 * DAY_MS },
  '30d': { granularity: 'day', ms: 29 * DAY_MS },
};

/** The range that a search parameter names, else the default one. */
export const rangeOf = (name: string | undefined): Range => RANGES.find((range) => range === name) ?? DEFAULT_RANGE;

/** The channel that a search parameter names, if it is one. */
export const channelOf = (name: string | undefined): Channel | undefined =>
  CHANNELS.find((channel) => channel === name);

/** The query of a range that ends now (ms): 24 hours, 7 days or 30 days, the present one included. */
export const queryOf = (range: Range, channel: Channel | undefined, now: number): MetricsGetQuery => {
  const { granularity, ms } = LENGTH[range];
  return { granularity, from: new Date(now - ms).toISOString(), ...(channel ? { channel } : {}) };
};

type Item = Metrics['items'][number];
export type Figures = Item['channels'][number];

/** A share of a figure in another, from 0 to 1; null of nothing. */
export const shareOf = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);
export const deliveryRateOf = ({ delivered, sent }: Pick<Figures, 'delivered' | 'sent'>) => shareOf(delivered, sent);
export const failureRateOf = ({ failed, total }: Pick<Figures, 'failed' | 'total'>) => shareOf(failed, total);

/** The channels that the metrics have anything of. */
export const channelsIn = ({ channels }: Metrics): readonly Channel[] =>
  CHANNELS.filter((name) => channels.some(({ channel }) => channel === name));

/** A point of a chart: an hour or day, and a value for each channel; null where there is none. */
export interface Point {
  readonly label: string;
  readonly [channel: string]: string | number | null;
}

/** The points of a chart of one figure by channel over time. */
export const pointsOf = (
  metrics: Metrics,
  labelOf: (item: Item) => string,
  figureOf: (figures: Figures) => number | null,
  ofNothing: number | null,
): Point[] => {
  const channels = channelsIn(metrics);
  return metrics.items.map((item) => {
    const value = (name: Channel) => {
      const figures = item.channels.find(({ channel }) => channel === name);
      return figures ? figureOf(figures) : ofNothing;
    };
    return { ...Object.fromEntries(channels.map((name) => [name, value(name)])), label: labelOf(item) };
  });
};

/** A row of the table that says what the charts show. */
export interface Row extends Figures {
  readonly start: string;
}

/** The figures of the charts, one row for each channel of an hour or day, newest first. */
export const rowsOf = ({ items }: Metrics): readonly Row[] =>
  items.toReversed().flatMap(({ start, channels }) => channels.map((figures) => ({ ...figures, start })));
