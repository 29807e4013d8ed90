import { momentOfWallTime, wallTime } from '../core/wall-time.ts';
import type { Channel } from '../message/channel.ts';
import { quietUntil } from '../sending/quiet-hours.ts';
import { WEEKDAYS, type WireUntil } from './definition.ts';
import { UNIT_MS } from './durations.ts';
import type { Graph } from './graph.ts';
import type { Moment } from './turn.ts';

const clockMs = (hora: string): number =>
  Number(hora.slice(0, 2)) * UNIT_MS.horas + Number(hora.slice(3)) * UNIT_MS.minutos;

/** Enough days to cover every weekday, and one that a calendar skipped. */
const DAYS_AHEAD = 15;

/**
 * When (ms) a wait for a time of day ends (docs/spec/journeys.md#waits): on its date, which may be past, or else the next time after `now`
 * at that local time, on its weekday.
 */
export const untilMoment = ({ hora, diaDaSemana, data }: WireUntil, timeZone: string, now: number): number => {
  if (data !== undefined) return momentOfWallTime(timeZone, Date.parse(`${data}T00:00:00Z`) + clockMs(hora));
  const today = Math.floor(wallTime(timeZone, now) / UNIT_MS.dias) * UNIT_MS.dias;
  for (let day = today; day <= today + DAYS_AHEAD * UNIT_MS.dias; day += UNIT_MS.dias) {
    if (diaDaSemana !== undefined && WEEKDAYS[new Date(day).getUTCDay()] !== diaDaSemana) continue;
    const moment = momentOfWallTime(timeZone, day + clockMs(hora));
    if (moment > now) return moment;
  }
  return now + UNIT_MS.dias;
};

/** How often the end of one quiet period may fall into the other: together they may cover the day. */
const MAX_QUIET_PERIODS = 4;

/**
 * From when (ms) a journey may send on a channel: outside its own quiet hours and the organization's. If both together cover the whole day,
 * only its own apply here; the organization's then defer the message.
 */
export const sendableFrom = ({ silence }: Graph, moment: Moment, channel: Channel): number => {
  const own = (at: number): number =>
    silence ? quietUntil({ ...silence, timeZone: moment.timeZone, channels: [channel] }, channel, at) : at;
  let at = moment.now;
  for (let period = 0; period < MAX_QUIET_PERIODS; period++) {
    const until = moment.quietUntil(channel, own(at));
    if (until === at) return at;
    at = until;
  }
  return own(moment.now);
};
