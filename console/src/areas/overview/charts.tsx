import { SimpleGrid } from '@mantine/core';
import { useMemo } from 'react';
import { useFormat } from '../../app/format.ts';
import { useTexts } from '../../app/texts.ts';
import type { Metrics } from '../../sdk.ts';
import { Chart } from './chart.tsx';
import { barsOf, countsOf, dotsOf, linesOf, SHARES } from './chart-shapes.ts';
import { channelsIn, deliveryRateOf, type Figures, failureRateOf, pointsOf } from './figures.ts';
import { texts } from './texts.ts';
import { useLabelOf } from './time-labels.ts';

const Sends = ({ metrics }: { readonly metrics: Metrics }) => {
  const t = useTexts(texts);
  const format = useFormat();
  const labelOf = useLabelOf(metrics);
  const picture = useMemo(() => {
    const [channels, points] = [channelsIn(metrics), pointsOf(metrics, labelOf, ({ total }) => total, 0)];
    const scale = countsOf(points, channels);
    return { channels, points, scale, shapes: barsOf(points, channels, scale) };
  }, [metrics, labelOf]);
  return (
    <Chart
      {...picture}
      drawn="bars"
      title={t.charts.sends}
      summary={t.chartSummary(t.charts.sends, format.number(metrics.totals.total))}
      format={format.number}
      granularity={metrics.granularity}
    />
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
  const picture = useMemo(() => {
    const [channels, points] = [channelsIn(metrics), pointsOf(metrics, labelOf, rateOf, null)];
    const shapes = linesOf(points, channels, SHARES);
    return { channels, points, shapes, dots: dotsOf(shapes) };
  }, [metrics, labelOf, rateOf]);
  return (
    <Chart
      {...picture}
      drawn="lines"
      title={title}
      summary={t.chartSummary(title, rate === null ? '—' : format.percent(rate))}
      scale={SHARES}
      format={format.percent}
      granularity={metrics.granularity}
    />
  );
};

/** Messages and their rates by channel, over time. */
export const Charts = ({ metrics }: { readonly metrics: Metrics }) => {
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
};
