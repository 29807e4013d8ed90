import { describe, expect, test } from 'vitest';
import {
  fitsFrom,
  hourOf,
  MAX_FREQUENCY,
  type SentByHour,
  sentWithin,
  staleHours,
} from '../../shared/domain/contacts/frequency.ts';
import { stopsCounting } from '../../shared/domain/sending/frequency.ts';
import { fc } from '../support/fast-check.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.parse('2026-03-10T12:00:00Z');

const added = (byHour: SentByHour, at: number, by = 1): SentByHour =>
  new Map(byHour).set(hourOf(at), (byHour.get(hourOf(at)) ?? 0) + by);
const countOf = (times: readonly number[]): SentByHour =>
  times.reduce((counts, at) => added(counts, at), new Map<number, number>() as SentByHour);
/** The sends of a list that are less than so many days old. */
const naive = (times: readonly number[], days: number, now: number): number =>
  times.filter((at) => at > now - days * DAY && at <= now).length;

const cap = fc.record({ messages: fc.integer({ min: 1, max: 6 }), days: fc.integer({ min: 1, max: 9 }) });
const step = fc.record({
  /** Time that passes before it, in minutes. */
  minutes: fc.integer({ min: 0, max: 3_000 }),
  kind: fc.constantFrom('capped', 'capped', 'uncapped', 'never_left'),
  cap,
});

describe('sends to a contact, counted by the hour', () => {
  test('allow and refuse as a list of all sends does, but for the rest of an hour after a window', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        let [now, counts, sends] = [START, new Map() as SentByHour, [] as number[]];
        for (const { minutes, kind, cap: limit } of steps) {
          now += minutes * 60_000;
          const last = sends.at(-1);
          if (kind === 'never_left' && last !== undefined) {
            sends = sends.slice(0, -1);
            counts = added(counts, last, -1);
          }
          const freeAt = kind === 'capped' ? fitsFrom(counts, limit, now) : now;
          if (kind === 'capped') {
            const exact = naive(sends, limit.days, now);
            if (freeAt === now) expect(exact).toBeLessThan(limit.messages);
            else
              expect(sends.filter((at) => at > now - limit.days * DAY - HOUR).length).toBeGreaterThanOrEqual(
                limit.messages,
              );
          }
          if (kind === 'never_left' || freeAt > now) continue;
          const stale = new Set(staleHours(counts, now));
          counts = added(new Map([...counts].filter(([hour]) => !stale.has(hour))), now);
          sends.push(now);
        }
      }),
    );
  });

  test('compute the first time at which a cap allows one more', () => {
    const ascending = fc.array(fc.integer({ min: 0, max: 12 * DAY }), { maxLength: 30 });
    fc.assert(
      fc.property(ascending, cap, (ages, limit) => {
        const counts = countOf(ages.map((age) => START - age));
        const freeAt = fitsFrom(counts, limit, START);
        expect(sentWithin(counts, limit.days, freeAt)).toBeLessThan(limit.messages);
        if (freeAt > START) expect(sentWithin(counts, limit.days, freeAt - 1)).toBeGreaterThanOrEqual(limit.messages);
      }),
    );
  });

  test('drop what no cap needs, without changing any result', () => {
    const times = fc.array(fc.integer({ min: 0, max: 500 * 24 }), { minLength: 1, maxLength: 300 });
    const anyCap = fc.record({
      messages: fc.integer({ min: 1, max: MAX_FREQUENCY.messages }),
      days: fc.integer({ min: 1, max: MAX_FREQUENCY.days }),
    });
    fc.assert(
      fc.property(times, anyCap, (hours, limit) => {
        const counts = countOf(hours.map((hour) => START - hour * HOUR));
        const stale = new Set(staleHours(counts, START));
        const kept: SentByHour = new Map([...counts].filter(([hour]) => !stale.has(hour)));
        const older = [...kept].slice(1).length;
        expect(older).toBeLessThanOrEqual(MAX_FREQUENCY.messages);
        expect(fitsFrom(kept, limit, START) > START).toBe(fitsFrom(counts, limit, START) > START);
        expect(stale.has(hourOf(START))).toBe(false);
      }),
    );
  });
});

test.each([
  ['was cancelled before it left', { status: 'queued' }, 'cancelled', false, true],
  ['was cancelled with its fallbacks', { status: 'queued', fallbackId: 'msg_1' }, 'cancelled', false, true],
  ['was certainly refused', { status: 'sending' }, undefined, true, true],
  ['may have arrived', { status: 'sending' }, 'indeterminate', false, false],
  ['was refused, while its fallback goes on', { status: 'sending', fallbackId: 'msg_1' }, undefined, true, false],
] as const)('a message that %s %o stops counting: %s %s %s', (_, message, reason, certain, stops) => {
  expect(stopsCounting(message as Parameters<typeof stopsCounting>[0], reason, certain)).toBe(stops);
});
