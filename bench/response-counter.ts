import type { LoadPlan, LoadResult } from './load.ts';

/** Counts the responses of a load from now on: none while it warms up, and the rate of those that come within the measured time. */
export const responseCounter = ({ warmMs, measureMs }: Pick<LoadPlan, 'measureMs' | 'warmMs'>) => {
  const begin = performance.now() + warmMs;
  const end = begin + measureMs;
  const times: number[] = [];
  const statuses: Record<string, number> = {};
  let inTime = 0;
  let lastAt = begin;
  return {
    /** Whether nothing more is to be requested. */
    isOver: () => performance.now() >= end,
    /** Notes a response that took some ms; false during the warm-up. */
    note(status: string, ms: number): boolean {
      const now = performance.now();
      if (now < begin) return false;
      if (now < end) inTime += 1;
      lastAt = now;
      times.push(ms);
      statuses[status] = (statuses[status] ?? 0) + 1;
      return true;
    },
    result(): Omit<LoadResult, 'trace'> {
      times.sort((a, b) => a - b);
      const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
      return {
        requests: times.length,
        perSecond: (inTime * 1000) / measureMs,
        lastMs: lastAt - begin,
        p50: at(0.5),
        p95: at(0.95),
        p99: at(0.99),
        statuses,
      };
    },
  };
};
