import './charts.css';
import { Card, Text } from '@mantine/core';
import { memo, type PointerEvent, useState } from 'react';
import { useTexts } from '../../app/texts.ts';
import { gridOf, heightOf, labelledOf, pointAt, type Scale, type Shape, SIDE } from './chart-shapes.ts';
import type { Channel, Point } from './figures.ts';
import { texts } from './texts.ts';

/** How the values of a chart are drawn. */
export type Drawn = 'bars' | 'lines';

interface PlotProps {
  readonly points: readonly Point[];
  readonly channels: readonly Channel[];
  readonly format: (value: number) => string;
  readonly drawn: Drawn;
}

/** How a channel looks in a chart: its colour, and as a line its dashes. */
const Swatch = ({ channel, drawn }: { readonly channel: Channel; readonly drawn: Drawn }) => (
  <svg className="chart-swatch" viewBox="0 0 24 10" aria-hidden>
    <path className={`chart-${drawn}`} data-channel={channel} d={drawn === 'bars' ? 'M14 0h10v10H14Z' : 'M0 5H24'} />
  </svg>
);

/** The values of an hour or day, beside it. */
const Tip = ({ points, channels, format, drawn, at }: PlotProps & { readonly at: number }) => {
  const t = useTexts(texts);
  const point = points[at];
  if (!point) return null;
  const share = (index: number) => `${(100 * index) / points.length}%`;
  const side = at < points.length / 2 ? { left: share(at + 1) } : { right: share(points.length - at) };
  return (
    <>
      <div className="chart-at" style={{ left: share(at), width: share(1) }} />
      <div className="chart-tip" style={side}>
        <strong>{point.label}</strong>
        {channels.map((channel) => {
          const value = point[channel];
          return (
            <div key={channel} data-value={channel}>
              <Swatch channel={channel} drawn={drawn} />
              <span>{t.channels[channel]}</span>
              <span className="chart-value">{typeof value === 'number' ? format(value) : '—'}</span>
            </div>
          );
        })}
      </div>
    </>
  );
};

/** Shows the values of the hour or day that a pointer is over, or that was touched. Alone in keeping that: a move renders no plot again. */
const Values = (plot: PlotProps) => {
  const [at, setAt] = useState<number>();
  const placeOf = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return pointAt(plot.points, (clientX - left) / width);
  };
  // A finger that is lifted is nowhere: its values stay until they are touched again.
  return (
    <div
      className="chart-values"
      onPointerMove={(event) => event.pointerType === 'mouse' && setAt(placeOf(event))}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && setAt(undefined)}
      onPointerDown={(event) => {
        const touched = placeOf(event);
        setAt(event.pointerType !== 'mouse' && touched === at ? undefined : touched);
      }}
    >
      {at === undefined ? null : <Tip {...plot} at={at} />}
    </div>
  );
};

/** The marked values beside a plot; the longest of them makes the room for all. */
const ValueAxis = ({ scale, format }: { readonly scale: Scale; readonly format: (value: number) => string }) => {
  const labels = scale.marks.map((mark) => ({ mark, label: format(mark) }));
  const longest = labels.reduce((text, { label }) => (label.length > text.length ? label : text), '');
  return (
    <div className="chart-marks">
      <span className="chart-room">{longest}</span>
      {labels.map(({ mark, label }) => (
        <span key={mark} style={{ bottom: `${100 * heightOf(scale, mark)}%` }}>
          {label}
        </span>
      ))}
    </div>
  );
};

interface TimeAxisProps {
  readonly points: readonly Point[];
  readonly granularity: 'hour' | 'day';
}
const TimeAxis = ({ points, granularity }: TimeAxisProps) => (
  <div className="chart-times">
    {labelledOf(points, granularity).map((at) => (
      <span key={at} style={{ left: `${(100 * (at + 0.5)) / points.length}%` }}>
        {points[at]?.label}
      </span>
    ))}
  </div>
);

interface ChartProps extends PlotProps, TimeAxisProps {
  readonly title: string;
  /** A description of the picture for screen readers; the table has the figures. */
  readonly summary: string;
  readonly scale: Scale;
  readonly shapes: readonly Shape[];
  /** Points on the lines. */
  readonly dots?: readonly Shape[];
}

/** A picture of values by channel over time, with its legend. It takes no focus: the table is what the keyboard and screen readers use. */
export const Chart = memo(({ title, summary, scale, shapes, dots = [], granularity, ...plot }: ChartProps) => {
  const t = useTexts(texts);
  const { points, channels, format, drawn } = plot;
  return (
    <Card withBorder component="figure">
      <Text component="figcaption" fw={600} mb="sm">
        {title}
      </Text>
      <div role="img" aria-label={summary} className="chart" data-chart={drawn}>
        <ValueAxis scale={scale} format={format} />
        <div className="chart-plot">
          <svg viewBox={`0 0 ${SIDE} ${SIDE}`} preserveAspectRatio="none" aria-hidden>
            <path className="chart-grid" d={gridOf(scale)} />
            {shapes.map(({ channel, path }) => (
              <path key={channel} className={`chart-${drawn}`} data-channel={channel} d={path} />
            ))}
            {dots.map(({ channel, path }) => (
              <path key={channel} className="chart-dots" data-channel={channel} d={path} />
            ))}
          </svg>
          <Values {...plot} />
        </div>
        <TimeAxis points={points} granularity={granularity} />
        <div className="chart-legend">
          {channels.map((channel) => (
            <span key={channel}>
              <Swatch channel={channel} drawn={drawn} />
              {t.channels[channel]}
            </span>
          ))}
        </div>
      </div>
    </Card>
  );
});
