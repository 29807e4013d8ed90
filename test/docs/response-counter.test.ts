import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { responseCounter } from '../../bench/response-counter.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

describe('the rate of a load', () => {
  test('includes neither the warm-up nor responses after the end, however many requests were in flight', () => {
    const counter = responseCounter({ warmMs: 1_000, measureMs: 2_000 });
    expect(counter.note('201', 1)).toBe(false);
    vi.advanceTimersByTime(1_000);
    for (let at = 0; at < 10; at++) expect(counter.note('201', 1)).toBe(true);
    vi.advanceTimersByTime(2_000);
    expect(counter.isOver()).toBe(true);
    for (let at = 0; at < 640; at++) counter.note('201', 1);
    expect(counter.result()).toMatchObject({ perSecond: 5, requests: 650, lastMs: 2_000, statuses: { 201: 650 } });
  });

  test('keeps the times and the statuses of what was in flight at the end: the slowest are among them', () => {
    const counter = responseCounter({ warmMs: 0, measureMs: 100 });
    for (let at = 0; at < 90; at++) counter.note('201', 5);
    expect(counter.isOver()).toBe(false);
    vi.advanceTimersByTime(100);
    expect(counter.isOver()).toBe(true);
    for (let at = 0; at < 10; at++) counter.note('503', 900);
    expect(counter.result()).toMatchObject({ p50: 5, p95: 900, p99: 900, lastMs: 100, statuses: { 201: 90, 503: 10 } });
  });
});
