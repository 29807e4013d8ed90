import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  DEFAULT_RETRY,
  FAILING_AFTER,
  type FailedAttempt,
  JITTER,
  nextAttemptAt,
  RETRY_FOR_MS,
} from '../../shared/domain/webhooks/schedule.ts';

const HOUR_MS = 3_600_000;
const SEED = 20_261_121;
const first: FailedAttempt = { attempts: 1, firstAt: 0, now: 0, retry: DEFAULT_RETRY, random: 0.5 };

/** When every attempt at an event that never succeeds is made, in seconds after the first. */
const run = (random: () => number, retryAfterSeconds?: number, retry = DEFAULT_RETRY): number[] => {
  const moments = [0];
  for (let now: number | undefined = 0; now !== undefined; ) {
    now = nextAttemptAt({ attempts: moments.length, firstAt: 0, now, retry, retryAfterSeconds, random: random() });
    if (now !== undefined) moments.push(now / 1000);
  }
  return moments;
};
const waits = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - (moments[index] ?? 0));

describe('the retries of a webhook', () => {
  test('are eight attempts, the first of them 30 s after the first failure', () => {
    expect(DEFAULT_RETRY).toEqual({ maxAttempts: 8, backoffSeconds: 30 });
    expect(nextAttemptAt({ ...first, attempts: 7 })).toBeDefined();
    expect(nextAttemptAt({ ...first, attempts: 8 })).toBeUndefined();
  });

  test.each([
    [1, 30],
    [2, 120],
    [3, 600],
    [4, 3_600],
    [5, 21_600],
    [6, 21_600],
    [7, 21_600],
  ])('wait after failure %i for %i s, a fifth more or less', (attempts, seconds) => {
    const waitAt = (random: number) => nextAttemptAt({ ...first, attempts, random });
    expect([waitAt(0), waitAt(0.5), waitAt(1)]).toEqual([800 * seconds, 1_000 * seconds, 1_200 * seconds]);
  });

  test('begin 24 hours after the first attempt at the latest, to the ms', () => {
    const late = { ...first, attempts: 5, retry: { maxAttempts: 20, backoffSeconds: 30 } };
    expect(nextAttemptAt({ ...late, now: 18 * HOUR_MS })).toBe(24 * HOUR_MS);
    expect(nextAttemptAt({ ...late, now: 18 * HOUR_MS + 1 })).toBeUndefined();
  });

  test('wait as long as Retry-After says, up to twice the step, and never less than the step', () => {
    const waitsMs = [5, 45, 60, 61, 3_600].map((retryAfterSeconds) => nextAttemptAt({ ...first, retryAfterSeconds }));
    expect(waitsMs).toEqual([30_000, 45_000, 60_000, 60_000, 60_000]);
  });

  test('make a subscription failing after five failed events in a row', () => expect(FAILING_AFTER).toBe(5));

  test('wait 30 s, 2 min, 10 min, 1 h, 6 h, then every 6 h, and end when 24 hours have passed', () => {
    expect(waits(run(() => 0.5))).toEqual([30, 120, 600, 3_600, 21_600, 21_600, 21_600]);
  });

  test('vary each wait by at most 20 % either way, and never begin an attempt after 24 hours', () => {
    const planned = [30, 120, 600, 3_600, 21_600, 21_600, 21_600, 21_600];
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 0.999_999, noNaN: true }), { minLength: 20, maxLength: 20 }),
        (draws) => {
          const left = [...draws];
          const moments = run(() => left.shift() ?? 0.5);
          for (const [index, wait] of waits(moments).entries()) {
            const step = planned[index] ?? Number.NaN;
            expect(wait).toBeGreaterThanOrEqual(step * (1 - JITTER) - 0.001);
            expect(wait).toBeLessThanOrEqual(step * (1 + JITTER) + 0.001);
          }
          expect((moments.at(-1) ?? 0) * 1000).toBeLessThanOrEqual(RETRY_FOR_MS);
          expect(moments.length).toBeGreaterThanOrEqual(7);
          expect(moments.length).toBeLessThanOrEqual(DEFAULT_RETRY.maxAttempts);
        },
      ),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  test('take Retry-After into account at every step', () => {
    expect(waits(run(() => 0.5, 45)).slice(0, 2)).toEqual([45, 120]);
    expect(waits(run(() => 0.5, 100_000)).slice(0, 3)).toEqual([60, 240, 1_200]);
    expect(waits(run(() => 0.5, 1)).slice(0, 1)).toEqual([30]);
  });

  test('follow the subscription’s own number of attempts and first wait', () => {
    expect(waits(run(() => 0.5, undefined, { maxAttempts: 3, backoffSeconds: 60 }))).toEqual([60, 240]);
    expect(run(() => 0.5, undefined, { maxAttempts: 1, backoffSeconds: 30 })).toEqual([0]);
  });
});
