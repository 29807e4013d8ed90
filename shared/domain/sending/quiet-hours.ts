import * as z from 'zod';
import { CHANNELS } from '../channels/registry.ts';
import { canonicalTimeZone } from '../core/wall-time.ts';
import type { Channel } from '../message/channel.ts';

const clockTime = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM');

/** Hours in which an organization defers asynchronous sends (docs/spec/organization.md#quiet-hours-setting). `inicio` after `fim` spans midnight. */
export const QuietHoursSchema = z
  .strictObject({
    inicio: clockTime,
    fim: clockTime,
    timeZone: z
      .string()
      .refine((name) => canonicalTimeZone(name) !== undefined, 'must be a time zone of the IANA list'),
    /** Channels that are deferred; empty turns quiet hours off. */
    channels: z.array(z.enum(CHANNELS)).max(CHANNELS.length),
  })
  .refine(({ inicio, fim }) => inicio !== fim, { message: 'must differ from inicio', path: ['fim'] });
export type QuietHours = z.output<typeof QuietHoursSchema>;

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

const formats = new Map<string, Intl.DateTimeFormat>();
/** Minutes since midnight in a time zone. */
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
 * The earliest time (ms) at which a message of the channel may be sent: `at` outside of quiet hours, else their end in their time zone,
 * adjusted for a clock change before it.
 */
export const quietUntil = (quiet: QuietHours | undefined, channel: Channel, at: number): number => {
  if (!quiet?.channels.includes(channel) || !isQuiet(quiet, at)) return at;
  const minutesLeft = (minutesOf(quiet.fim) - wallMinutes(quiet.timeZone, at) + DAY_MINUTES) % DAY_MINUTES;
  const until = Math.floor(at / MINUTE_MS) * MINUTE_MS + minutesLeft * MINUTE_MS;
  const drift = minutesOf(quiet.fim) - wallMinutes(quiet.timeZone, until);
  // The clock change between now and then, in minutes: less than half a day either way.
  const shift = drift === 0 ? 0 : ((drift + DAY_MINUTES * 1.5) % DAY_MINUTES) - DAY_MINUTES / 2;
  const adjusted = Math.max(until + shift * MINUTE_MS, at);
  // When the clock skips the end, no moment has that wall time: the time before the skip is still quiet.
  return isQuiet(quiet, adjusted) ? until : adjusted;
};
