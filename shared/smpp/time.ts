const TIME = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d)(\d{2})([-+R])$/;
const QUARTER_MS = 15 * 60_000;
/** The largest offset from UTC, in quarters of an hour. */
const MAX_OFFSET = 48;

type Numbers = [year: number, month: number, day: number, hour: number, minute: number, second: number];

/** Undefined for a date or an hour that does not exist. */
const utc = ([year, month, day, hour, minute, second]: Numbers): number | undefined => {
  const at = new Date(Date.UTC(2000 + year, month - 1, day, hour, minute, second));
  // A nonexistent day changes the month; an hour above 23 changes the hour.
  const kept = at.getUTCMonth() === month - 1 && at.getUTCHours() === hour;
  return kept && minute < 60 && second < 60 ? at.getTime() : undefined;
};

/** Calendar months: a month after January 31 is the last day of February. */
const after = (now: number, [years, months, days, hours, minutes, seconds]: Numbers): number => {
  const from = new Date(now);
  const day = from.getUTCDate();
  from.setUTCDate(1);
  from.setUTCMonth(from.getUTCMonth() + 12 * years + months);
  const last = new Date(Date.UTC(from.getUTCFullYear(), from.getUTCMonth() + 1, 0)).getUTCDate();
  from.setUTCDate(Math.min(day, last));
  return from.getTime() + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1_000;
};

/** An SMPP time (7.1.1), absolute or relative to `now`, as ms; undefined if invalid. Years are of this century. */
export const readTime = (text: string, now: number): number | undefined => {
  const found = TIME.exec(text);
  if (!found) return undefined;
  const numbers = found.slice(1, 7).map(Number) as Numbers;
  if (found[9] === 'R') return after(now, numbers);
  const offset = Number(found[8]);
  const at = utc(numbers);
  if (at === undefined || offset > MAX_OFFSET) return undefined;
  return at + Number(found[7]) * 100 - (found[9] === '+' ? 1 : -1) * offset * QUARTER_MS;
};

const digitsOf = (ms: number): string => new Date(ms).toISOString().replaceAll(/\D/g, '');

/** A moment in the absolute format, in UTC, to the tenth of a second. */
export const writeTime = (ms: number): string => `${digitsOf(ms).slice(2, 15)}00+`;

/** `YYMMDDhhmm` and, if wanted, `ss`, in UTC: the dates in the text of a receipt. */
export const writeReceiptDate = (ms: number, seconds: boolean): string => digitsOf(ms).slice(2, seconds ? 14 : 12);

const DATE = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?$/;

/** A date in the text of a receipt, read as UTC, as ms; undefined if invalid. */
export const readReceiptDate = (text: string): number | undefined => {
  const found = DATE.exec(text);
  return found ? utc(found.slice(1, 7).map((part) => Number(part ?? 0)) as Numbers) : undefined;
};
