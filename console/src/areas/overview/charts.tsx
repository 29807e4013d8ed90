import '@mantine/charts/styles.css';
import './charts.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Metrics } from '../../sdk.ts';
import { type Channel, channelsIn, deliveryRateOf, type Figures, failureRateOf, pointsOf } from './figures.ts';
import { texts } from './texts.ts';
import { useLabelOf } from './time-labels.ts';

const HEIGHT = 260;
const DASHES: Readonly<Record<Channel, string>> = {
  whatsapp: '0',
  email: '8 3',
  sms: '2 3',
  rcs: '10 3 2 3',
  push: '5 5',
  instagram: '12 4',
};

interface FigureProps {
  readonly title: string;
  /** A description of the picture for screen readers; the table has the figures. */
  readonly summary: string;
  readonly children: ReactNode;
}

const Chart = ({ title, summary, children }: FigureProps) => (
  <Card withBorder component="figure">
    <Text component="figcaption" fw={600} mb="sm">
      {title}
    </Text>
    <div role="img" aria-label={summary}>
      {children}
    </div>
  </Card>
);

const useSeries = (metrics: Metrics) => {
  const t = useTexts(texts);
  return channelsIn(metrics).map((name) => ({
    name,
    label: t.channels[name],
    color: `var(--channel-${name})`,
    strokeDasharray: DASHES[name],
  }));
};

/** Settings of both kinds of chart. They take no focus: the table is what the keyboard and screen readers use. */
const COMMON = { h: HEIGHT, dataKey: 'label', withLegend: true, accessibilityLayer: false } as const;

const Sends = ({ metrics }: { readonly metrics: Metrics }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const labelOf = useLabelOf(metrics);
  const series = useSeries(metrics);
  return (
    <Chart title={t.charts.sends} summary={t.chartSummary(t.charts.sends, format.number(metrics.totals.total))}>
      <BarChart
        {...COMMON}
        type="stacked"
        data={pointsOf(metrics, labelOf, ({ total }) => total, 0)}
        series={series}
        valueFormatter={format.number}
        yAxisProps={{ allowDecimals: false, width: 48 }}
        barProps={{ isAnimationActive: false }}
      />
    </Chart>
  );
};

interface RatesProps {
  readonly metrics: Metrics;
  readonly title: string;
  readonly rate: number | null;
  readonly rateOf: (figures: Figures) => number | null;
}

const Rates = ({ metrics, title, rate, rateOf }: RatesProps) => {
  const t = useTexts(texts);
  const format = useFormat();
  const labelOf = useLabelOf(metrics);
  return (
    <Chart title={title} summary={t.chartSummary(title, rate === null ? '—' : format.percent(rate))}>
      <LineChart
        {...COMMON}
        data={pointsOf(metrics, labelOf, rateOf, null)}
        series={useSeries(metrics)}
        valueFormatter={format.percent}
        connectNulls={false}
        curveType="linear"
        yAxisProps={{ domain: [0, 1], width: 48 }}
      />
    </Chart>
  );
};

/** Messages and their rates by channel, over time. */
export default function Charts({ metrics }: { readonly metrics: Metrics }) {
  const t = useTexts(texts);
  const { deliveryRate, failureRate } = metrics.totals;
  return (
    <div className="overview-charts">
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Sends metrics={metrics} />
        <Rates metrics={metrics} title={t.charts.delivery} rate={deliveryRate} rateOf={deliveryRateOf} />
        <Rates metrics={metrics} title={t.charts.failure} rate={failureRate} rateOf={failureRateOf} />
      </SimpleGrid>
    </div>
  );
}
