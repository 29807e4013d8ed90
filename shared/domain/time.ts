/** Milliseconds since the epoch. Injected everywhere, so that a test can hold or move time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 in UTC with milliseconds: the wire's date-time, and a text that sorts as time does. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

const HOUR_MS = 3_600_000;
const monthOf = (ms: number): string => isoTime(ms).slice(0, 7).replace('-', '');
let saoPaulo: Intl.DateTimeFormat | undefined;

/**
 * The calendar month in São Paulo as `YYYYMM`: volume bands start anew with it (decisions, part 4). São Paulo is two or three hours
 * behind UTC, whatever its law says of summer time: only near the edge of a month is the calendar asked, which takes 6 ms to load.
 */
export const saoPauloMonth = (ms: number): string => {
  const [first, last] = [monthOf(ms - 4 * HOUR_MS), monthOf(ms - HOUR_MS)];
  if (first === last) return first;
  saoPaulo ??= new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', year: 'numeric', month: '2-digit' });
  const parts = saoPaulo.formatToParts(ms);
  const pick = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return pick('year') + pick('month');
};

/** A window of time from its two parsed texts, in ms; a bound that is absent stays so. */
export const isoWindow = (from: string | undefined, to: string | undefined): { from?: number; to?: number } => ({
  ...(from === undefined ? {} : { from: Date.parse(from) }),
  ...(to === undefined ? {} : { to: Date.parse(to) }),
});
