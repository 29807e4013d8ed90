import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_RETRY, JITTER, nextAttemptAt, RETRY_FOR_MS } from '../../shared/domain/webhooks/schedule.ts';

const SEED = 20_261_121;
const seconds = (ms: number) => ms / 1000;

/** Every attempt's moment of an event that never succeeds, in seconds after the first. */
const run = (random: () => number, retryAfterSeconds?: number, retry = DEFAULT_RETRY): number[] => {
  const moments = [0];
  for (let now: number | undefined = 0; now !== undefined; ) {
    now = nextAttemptAt({ attempts: moments.length, firstAt: 0, now, retry, retryAfterSeconds, random: random() });
    if (now !== undefined) moments.push(seconds(now));
  }
  return moments;
};
const waits = (moments: readonly number[]) => moments.slice(1).map((at, index) => at - (moments[index] ?? 0));

describe('the retry schedule', () => {
  test('waits 30 s, 2 min, 10 min, 1 h, 6 h, then every 6 h, and gives up when 24 hours have passed', () => {
    expect(waits(run(() => 0.5))).toEqual([30, 120, 600, 3_600, 21_600, 21_600, 21_600]);
  });

  test('spreads each wait by at most 20 % to either side, whatever the draw, and never begins an attempt after 24 hours', () => {
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

  test('honours Retry-After, but only up to twice the next step', () => {
    expect(waits(run(() => 0.5, 45)).slice(0, 2)).toEqual([45, 120]);
    expect(waits(run(() => 0.5, 100_000)).slice(0, 3)).toEqual([60, 240, 1_200]);
    expect(waits(run(() => 0.5, 1)).slice(0, 1)).toEqual([30]);
  });

  test('keeps to the subscription’s own number of attempts and first wait', () => {
    expect(waits(run(() => 0.5, undefined, { maxAttempts: 3, backoffSeconds: 60 }))).toEqual([60, 240]);
    expect(run(() => 0.5, undefined, { maxAttempts: 1, backoffSeconds: 30 })).toEqual([0]);
  });
});
