import { expect } from 'vitest';

/** Processor time of this process, in ms: unlike the clock it does not count what others do meanwhile. Least of three. */
const cost = (work: () => unknown): number =>
  Math.min(
    ...[1, 2, 3].map(() => {
      const began = process.cpuUsage();
      work();
      const { user, system } = process.cpuUsage(began);
      return (user + system) / 1000;
    }),
  );

const GROWTH = 8;
/** Between what eight times the input costs in linear time, 8 times as much, and in quadratic time, 64 times. */
const MOST = 24;

/** Holds work over texts of a length to linear time, on a machine of any speed. */
export const expectLinear = (work: (length: number) => unknown, length: number): void => {
  const part = cost(() => work(length / GROWTH));
  // Below a millisecond the measure itself is coarse.
  expect(cost(() => work(length))).toBeLessThan(MOST * Math.max(1, part));
};
