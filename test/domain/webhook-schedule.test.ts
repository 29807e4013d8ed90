import { describe, expect, test } from 'vitest';
import {
  DEFAULT_RETRY,
  FAILING_AFTER,
  type FailedAttempt,
  nextAttemptAt,
} from '../../shared/domain/webhooks/schedule.ts';

const HOUR_MS = 3_600_000;
const first: FailedAttempt = { attempts: 1, firstAt: 0, now: 0, retry: DEFAULT_RETRY, random: 0.5 };

describe('the retries of a webhook, in figures', () => {
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

  test('wait as long as Retry-After asks, up to twice the step, and never less than the step', () => {
    const asked = (retryAfterSeconds: number) => nextAttemptAt({ ...first, retryAfterSeconds });
    expect([asked(5), asked(45), asked(60), asked(61), asked(3_600)]).toEqual([30_000, 45_000, 60_000, 60_000, 60_000]);
  });

  test('make a subscription failing after five failed events in a row', () => expect(FAILING_AFTER).toBe(5));
});
