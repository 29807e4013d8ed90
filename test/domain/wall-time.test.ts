import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { momentOfWallTime, wallTime } from '../../shared/domain/core/wall-time.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const ZONES = [
  'America/Sao_Paulo',
  'America/New_York',
  'Europe/Lisbon',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'UTC',
];
const iso = (ms: number) => new Date(ms).toISOString();
const utc = (text: string) => Date.parse(`${text}Z`);

/** The first minute from a day before at which the clock shows the time or a later one: minute by minute. */
const naive = (timeZone: string, wall: number): number => {
  const from = wall - DAY;
  let at = from;
  while (wallTime(timeZone, at) < wall) at += MINUTE;
  return at;
};

describe('the moment at which a clock shows a time', () => {
  test.each([
    ['America/Sao_Paulo', '2026-03-10T09:00', '2026-03-10T12:00:00.000Z'],
    ['Asia/Kathmandu', '2026-03-10T09:00', '2026-03-10T03:15:00.000Z'],
    // Forward at 2 on 8 March 2026, back at 2 on 1 November.
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:00:00.000Z'],
    ['America/New_York', '2026-03-08T03:00', '2026-03-08T07:00:00.000Z'],
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z'],
    ['America/New_York', '2026-11-01T02:00', '2026-11-01T07:00:00.000Z'],
    // Half an hour.
    ['Australia/Lord_Howe', '2026-10-04T02:15', '2026-10-03T15:30:00.000Z'],
    // Midnight does not exist on this day.
    ['America/Sao_Paulo', '2018-11-04T00:00', '2018-11-04T03:00:00.000Z'],
  ])('in %s, %s, is %s', (timeZone, wall, moment) => {
    expect(iso(momentOfWallTime(timeZone, utc(wall)))).toBe(moment);
  });

  test('is the first minute that shows it, or the change of the clock that skips it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...ZONES),
        // Around changes of these zones, and anywhere.
        fc.oneof(
          fc
            .constantFrom('2026-03-08', '2026-11-01', '2026-03-29', '2026-10-25', '2026-04-05', '2026-10-04')
            .map((day) => utc(`${day}T00:00`)),
          fc.integer({ min: 20_000, max: 22_000 }).map((day) => day * DAY),
        ),
        fc.integer({ min: 0, max: 287 }),
        (timeZone, day, fives) => {
          const wall = day + fives * 5 * MINUTE;
          expect(iso(momentOfWallTime(timeZone, wall))).toBe(iso(naive(timeZone, wall)));
        },
      ),
      { seed: 1, numRuns: 60 },
    );
  });
});

test('a clock shows milliseconds, and an unknown time zone is refused', () => {
  expect(iso(wallTime('America/Sao_Paulo', utc('2026-03-10T12:00:00.123')))).toBe('2026-03-10T09:00:00.123Z');
  expect(() => wallTime('Brasil/Lua', 0)).toThrow(RangeError);
});
