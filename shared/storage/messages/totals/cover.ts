import { countableUntil, LENGTH_MS, type Level, startOf } from '../../../domain/message/settled.ts';

/** A period, ms; `until` is exclusive. */
export interface Span {
  readonly from: number;
  readonly until: number;
}
/** Kinds of stored counts: of an hour or a day, in the state when the hour or day was settled. */
export type Kind = 'hour' | 'day' | 'hourOfDay';
/** Whole hours or days whose counts may be stored. */
export interface Run extends Span {
  readonly kind: Kind;
}
/** A window, divided into parts counted by reading and parts with stored counts. */
export interface Cover {
  readonly direct: readonly Span[];
  readonly runs: readonly Run[];
}

/** The period of each kind, and when it is settled. `hourOfDay`: an hour of a settled day, for windows that start or end in it. */
export const KINDS: Readonly<Record<Kind, { readonly length: Level; readonly level: Level }>> = {
  hour: { length: 'hour', level: 'hour' },
  day: { length: 'day', level: 'day' },
  hourOfDay: { length: 'hour', level: 'day' },
};

const endOf = (level: Level, ms: number): number => startOf(level, ms + LENGTH_MS[level] - 1);

interface Part extends Span {
  readonly kind?: Kind;
}

/** Splits a span into whole periods of the first kind, and the rest at both ends into whole ones of the next. */
const split = ({ from, until }: Span, [kind, ...finer]: readonly Kind[]): Part[] => {
  if (from >= until) return [];
  if (kind === undefined) return [{ from, until }];
  const { length } = KINDS[kind];
  const [first, last] = [endOf(length, from), startOf(length, until)];
  if (first >= last) return split({ from, until }, finer);
  return [
    ...split({ from, until: first }, finer),
    { kind, from: first, until: last },
    ...split({ from: last, until }, finer),
  ];
};

/**
 * How a window is counted at `now`: settled days and, at the ends and since then, settled hours by their counts; the rest and recent time
 * by reading. At most five runs.
 */
export const cover = ({ from, until }: Span, now: number): Cover => {
  const days = Math.min(until, countableUntil('day', now));
  const hours = Math.min(until, countableUntil('hour', now));
  const parts = [
    ...split({ from, until: days }, ['day', 'hourOfDay']),
    ...split({ from: Math.max(from, days), until: hours }, ['hour']),
    ...split({ from: Math.max(from, hours), until }, []),
  ];
  return {
    direct: parts.flatMap(({ kind, ...span }) => (kind ? [] : [span])),
    runs: parts.flatMap(({ kind, ...span }) => (kind ? [{ ...span, kind }] : [])),
  };
};

/** The starts of a run's hours or days within a span. */
export const beginnings = (kind: Kind, { from, until }: Span): number[] => {
  const length = LENGTH_MS[KINDS[kind].length];
  return Array.from({ length: Math.ceil((until - from) / length) }, (_, at) => from + at * length);
};

/** The parts of a span outside of the hours or days that start at these times, which are ascending. */
export const gaps = ({ kind, from, until }: Run, known: readonly number[]): Span[] => {
  const length = LENGTH_MS[KINDS[kind].length];
  let at = from;
  const found: Span[] = [];
  for (const start of known) {
    if (start > at) found.push({ from: at, until: start });
    at = start + length;
  }
  if (at < until) found.push({ from: at, until });
  return found;
};
