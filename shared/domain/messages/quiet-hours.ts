import * as z from 'zod';
import { CHANNELS, type Channel } from './provider.ts';

const clockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM');

/** Hours in which an organization sends nothing that can wait (decisions, part 6). `inicio` after `fim` goes over midnight. */
export const QuietHoursSchema = z
  .strictObject({
    inicio: clockTime,
    fim: clockTime,
    timeZone: z.string().refine((name) => isTimeZone(name), 'must be a time zone of the IANA list'),
    /** None: nothing is quiet. */
    channels: z.array(z.enum(CHANNELS)).max(CHANNELS.length),
  })
  .refine(({ inicio, fim }) => inicio !== fim, { message: 'must differ from inicio', path: ['fim'] });
export type QuietHours = z.output<typeof QuietHoursSchema>;

const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const formats = new Map<string, Intl.DateTimeFormat>();
/** Minutes since midnight on the wall of a time zone. */
const wallMinutes = (timeZone: string, at: number): number => {
  let format = formats.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    formats.set(timeZone, format);
  }
  return minutesOf(format.format(at));
};

const isQuiet = ({ inicio, fim, timeZone }: QuietHours, at: number): boolean => {
  const [now, from, to] = [wallMinutes(timeZone, at), minutesOf(inicio), minutesOf(fim)];
  return from < to ? now >= from && now < to : now >= from || now < to;
};

/**
 * When a message of the channel may leave, in ms: `at` itself outside of the quiet hours, else their end on the wall of their time
 * zone. Where a clock change lies before that end, the end moves with it.
 */
export const quietUntil = (quiet: QuietHours | undefined, channel: Channel, at: number): number => {
  if (!quiet?.channels.includes(channel) || !isQuiet(quiet, at)) return at;
  const left = (minutesOf(quiet.fim) - wallMinutes(quiet.timeZone, at) + DAY_MINUTES) % DAY_MINUTES;
  const until = Math.floor(at / MINUTE_MS) * MINUTE_MS + left * MINUTE_MS;
  const off = minutesOf(quiet.fim) - wallMinutes(quiet.timeZone, until);
  // At most half a day off, either way: the shift of the clock between now and then.
  const shift = off === 0 ? 0 : ((off + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  const moved = Math.max(until + shift * MINUTE_MS, at);
  // Where the clock passes over the end, no moment has its time: what lies before it is quiet still.
  return isQuiet(quiet, moved) ? until : moved;
};
