import { countableUntil, LENGTH_MS, type Level, startOf } from '../../../domain/message/settled.ts';

/** A stretch of time, ms; `until` is exclusive. */
export interface Span {
  readonly from: number;
  readonly until: number;
}
/** Counts that are stored: of an hour or a day, as its messages were when their hour or day was settled. */
export type Kind = 'hour' | 'day' | 'hourOfDay';
/** Whole hours or days whose counts may be stored. */
export interface Run extends Span {
  readonly kind: Kind;
}
/** A window as what is counted by reading it, and what by stored counts. */
export interface Cover {
  readonly direct: readonly Span[];
  readonly runs: readonly Run[];
}

/** Of what one count is, and when it was settled. `hourOfDay`: an hour of a day that is settled itself, for windows that begin or end in it. */
export const KINDS: Readonly<Record<Kind, { readonly length: Level; readonly level: Level }>> = {
  hour: { length: 'hour', level: 'hour' },
  day: { length: 'day', level: 'day' },
  hourOfDay: { length: 'hour', level: 'day' },
};

const endOf = (level: Level, ms: number): number => startOf(level, ms + LENGTH_MS[level] - 1);

interface Piece extends Span {
  readonly kind?: Kind;
}

/** A span as whole ones of the first kind, with what remains at both ends as whole ones of the next. */
const split = ({ from, until }: Span, [kind, ...finer]: readonly Kind[]): Piece[] => {
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
 * How a window is counted at `now`: settled days by their counts, the hours at its ends and those that are settled since by theirs, what is left
 * and what is new by reading it. At most five runs.
 */
export const cover = ({ from, until }: Span, now: number): Cover => {
  const days = Math.min(until, countableUntil('day', now));
  const hours = Math.min(until, countableUntil('hour', now));
  const pieces = [
    ...split({ from, until: days }, ['day', 'hourOfDay']),
    ...split({ from: Math.max(from, days), until: hours }, ['hour']),
    ...split({ from: Math.max(from, hours), until }, []),
  ];
  return {
    direct: pieces.flatMap(({ kind, ...span }) => (kind ? [] : [span])),
    runs: pieces.flatMap(({ kind, ...span }) => (kind ? [{ ...span, kind }] : [])),
  };
};

/** The beginnings of a run's hours or days within a span. */
export const beginnings = (kind: Kind, { from, until }: Span): number[] => {
  const length = LENGTH_MS[KINDS[kind].length];
  return Array.from({ length: Math.ceil((until - from) / length) }, (_, at) => from + at * length);
};

/** What of a span is not in the hours or days that begin at these moments, which are ascending. */
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
