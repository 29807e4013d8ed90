import { nice, ticks } from 'd3-array';
import type { Channel, Point } from './figures.ts';

/** Plots are drawn in a square of this side, which the page stretches to the size of the chart: nothing has to be measured. */
export const SIDE = 1_000;
const MARKS = 4;
/** The part of its hour or day that a bar takes. */
const BAR_WIDTH = 0.7;
/** How many labels of time stand side by side: hours are labelled with their day. */
const LABELS = { hour: 4, day: 8 } as const;

/** An axis from 0 to `top`, and the values that are marked on it. */
export interface Scale {
  readonly top: number;
  readonly marks: readonly number[];
}

/** The axis of shares of 1. */
export const SHARES: Scale = { top: 1, marks: [0, 0.25, 0.5, 0.75, 1] };

type Value = string | number | null | undefined;
const numberOf = (value: Value): number => (typeof value === 'number' ? value : 0);

/** The axis of bars that stand on one another: whole numbers, up to the highest of all. */
export const countsOf = (points: readonly Point[], channels: readonly Channel[]): Scale => {
  const sums = points.map((point) => channels.reduce((sum, name) => sum + numberOf(point[name]), 0));
  const [, top] = nice(0, Math.max(1, ...sums), MARKS);
  return { top, marks: ticks(0, top, MARKS).filter(Number.isInteger) };
};

/** How far up a value is, as a share of the plot's height; a value beyond the axis is at its end. */
export const heightOf = ({ top }: Scale, value: number): number => Math.min(1, value / top);

const round = (value: number): number => Math.round(value * 100) / 100;
const yOf = (scale: Scale, value: number): number => round(SIDE * (1 - heightOf(scale, value)));

/** The lines behind a plot, one for each marked value, as the data of an SVG path. */
export const gridOf = (scale: Scale): string => scale.marks.map((mark) => `M0 ${yOf(scale, mark)}H${SIDE}`).join('');

/** A channel in a plot, as the data of an SVG path. */
export interface Shape {
  readonly channel: Channel;
  readonly path: string;
}

/** Bars of each hour or day, the channels on one another. */
export const barsOf = (points: readonly Point[], channels: readonly Channel[], scale: Scale): readonly Shape[] => {
  const [step, sums] = [SIDE / points.length, points.map(() => 0)];
  const [gap, width] = [(step * (1 - BAR_WIDTH)) / 2, round(step * BAR_WIDTH)];
  return channels.map((channel) => {
    const bars = points.map((point, at) => {
      const [value, below] = [numberOf(point[channel]), sums[at] ?? 0];
      if (value === 0) return '';
      sums[at] = below + value;
      return `M${round(at * step + gap)} ${yOf(scale, below)}V${yOf(scale, below + value)}h${width}V${yOf(scale, below)}Z`;
    });
    return { channel, path: bars.join('') };
  });
};

/** A line of each channel from value to value; an hour or day without a value is a gap. */
export const linesOf = (points: readonly Point[], channels: readonly Channel[], scale: Scale): readonly Shape[] => {
  const step = SIDE / points.length;
  return channels.map((channel) => {
    let isDrawing = false;
    const parts = points.map((point, at) => {
      const value = point[channel];
      const command = isDrawing ? 'L' : 'M';
      isDrawing = typeof value === 'number';
      return typeof value === 'number' ? `${command}${round((at + 0.5) * step)} ${yOf(scale, value)}` : '';
    });
    return { channel, path: parts.join('') };
  });
};

/** The same as points alone: lines of no length, which round ends make dots. A value between two gaps has no line. */
export const dotsOf = (lines: readonly Shape[]): readonly Shape[] =>
  lines.map(({ channel, path }) => ({ channel, path: path.replaceAll(/[ML]([\d.]+ [\d.]+)/g, 'M$1h0') }));

/** Which of the points are labelled, at equal distances. */
export const labelledOf = (points: readonly Point[], granularity: 'hour' | 'day'): readonly number[] => {
  const every = Math.max(1, Math.ceil(points.length / LABELS[granularity]));
  return points.flatMap((_, at) => (at % every === 0 ? [at] : []));
};

/** The point at a share of the plot's width; undefined beside the plot. */
export const pointAt = (points: readonly Point[], share: number): number | undefined => {
  const at = Math.floor(share * points.length);
  return at >= 0 && at < points.length ? at : undefined;
};
