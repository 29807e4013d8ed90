/** Returns ms since the epoch. Always injected, so that tests can control time. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** ISO 8601 in UTC with ms: the API's date-time format, which also sorts chronologically. */
export const isoTime = (ms: number): string => new Date(ms).toISOString();

const HOUR_MS = 3_600_000;
const monthOf = (ms: number): string => isoTime(ms).slice(0, 7).replace('-', '');
let saoPaulo: Intl.DateTimeFormat | undefined;

/**
 * The calendar month in São Paulo as `YYYYMM`: volume bands restart each month (docs/spec/pricing.md#volume-bands). São Paulo is UTC-2 or
 * UTC-3 under any DST law, so the time zone data, which takes 6 ms to load, is only needed near the end of a month.
 */
export const saoPauloMonth = (ms: number): string => {
  const [first, last] = [monthOf(ms - 4 * HOUR_MS), monthOf(ms - HOUR_MS)];
  if (first === last) return first;
  saoPaulo ??= new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', year: 'numeric', month: '2-digit' });
  const parts = saoPaulo.formatToParts(ms);
  const pick = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return pick('year') + pick('month');
};

/** Parses the bounds of a time window to ms; absent bounds stay absent. */
export const isoWindow = (from: string | undefined, to: string | undefined): { from?: number; to?: number } => ({
  ...(from === undefined ? {} : { from: Date.parse(from) }),
  ...(to === undefined ? {} : { to: Date.parse(to) }),
});

const [FIRST_MS, LAST_MS] = [Date.parse('1000-01-01T00:00:00Z'), Date.parse('9999-12-31T23:59:59.999Z')];
/**
 * Whether a time (ms) is within the years 1000 to 9999 UTC: an earlier one is a mistake, and a later one doesn't sort
 * as ISO text. NaN passes: parsers reject invalid dates themselves.
 */
export const isOfUsualYears = (ms: number): boolean => !(ms < FIRST_MS || ms > LAST_MS);
export const USUAL_YEARS = 'must be of the years 1000 to 9999';

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
const isDay = (day: string): boolean => {
  const ms = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(ms) && isoTime(ms).startsWith(day);
};

/**
 * Parses an ISO 8601 date (as 00:00 UTC) or a date-time with offset to ms; undefined for any other text or a date that
 * doesn't exist.
 */
export const parseDayOrMoment = (text: string): number | undefined => {
  const day = DAY.test(text) ? text : MOMENT.exec(text)?.[1];
  return day !== undefined && isDay(day) ? Date.parse(text) : undefined;
};
