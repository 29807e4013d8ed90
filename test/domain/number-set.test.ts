import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { CHUNK_NUMBERS, NumberSet } from '../../shared/domain/audience/number-set.ts';
import { chanceOf } from '../support/chance.ts';

const chance = chanceOf(20_261_123);
/** Random numbers, as dense as one in `spread`, over some chunks. */
const numbers = (count: number, spread: number) =>
  Array.from({ length: count }, () => chance.below(Math.max(1, count * spread)));
const sorted = (set: Iterable<number>) => [...Uint32Array.from(set).sort().reverse()];
/** Compared natively: there are lists of 65,536 numbers. */
const expectNumbers = (found: Iterable<number>, expected: readonly number[]): void => {
  const all = [...found];
  if (!isDeepStrictEqual(all, expected)) expect(all).toEqual(expected);
};
const recoded = (set: NumberSet) => NumberSet.decode(set.chunks.map((chunk) => [chunk, set.encode(chunk)] as const));

/** Shapes from nothing to a full chunk, across the edges of chunks and words. */
const SHAPES: readonly (readonly number[])[] = [
  [],
  [0],
  [31, 32, 63, 64],
  [CHUNK_NUMBERS - 1, CHUNK_NUMBERS, CHUNK_NUMBERS + 1],
  [3, 3, 3],
  [150 * CHUNK_NUMBERS + 17],
  Array.from({ length: CHUNK_NUMBERS }, (_, at) => at),
  ...[1, 2, 9, 70, 1_000].map((spread) => numbers(3_000, spread)),
];

describe('a set of numbers', () => {
  test.each(SHAPES.map((shape, at) => ({ shape, at })))(
    'has what it was made of, the greatest first: $at',
    ({ shape }) => {
      const set = NumberSet.of(shape);
      const plain = new Set(shape);
      expect(set.size).toBe(plain.size);
      expectNumbers(set, sorted(plain));
      for (const number of [...plain].slice(0, 100)) {
        expect(set.has(number)).toBe(true);
        expect(set.has(number + 1)).toBe(plain.has(number + 1));
      }
    },
  );

  test.each(SHAPES.map((shape, at) => ({ shape, at })))('is the same once encoded and decoded: $at', ({ shape }) => {
    const set = NumberSet.of(shape);
    expectNumbers(recoded(set), [...set]);
    for (const chunk of set.chunks) expect(set.encode(chunk).length).toBeLessThanOrEqual(8_193);
  });

  test('unites, intersects and subtracts as plain sets do', () => {
    for (const a of SHAPES)
      for (const b of SHAPES) {
        const [one, other] = [NumberSet.of(a), NumberSet.of(b)];
        const [plain, second] = [new Set(a), new Set(b)];
        const results = [
          [one.or(other), new Set([...plain, ...second])],
          [one.and(other), new Set([...plain].filter((each) => second.has(each)))],
          [one.andNot(other), new Set([...plain].filter((each) => !second.has(each)))],
        ] as const;
        for (const [result, expected] of results) {
          expect(result.size).toBe(expected.size);
          expectNumbers(result, sorted(expected));
        }
      }
  });

  test('names no chunk in which nothing is left', () => {
    const [all, last] = [NumberSet.of([1, CHUNK_NUMBERS]), NumberSet.of([CHUNK_NUMBERS])];
    expect(all.chunks).toEqual([0, 1]);
    expect(all.andNot(last).chunks).toEqual([0]);
  });

  test('of few numbers takes about a byte for each, of many an eighth of one', () => {
    const few = NumberSet.of(Array.from({ length: 100 }, (_, at) => at * 100));
    expect(few.encode(0).length).toBe(101);
    const many = NumberSet.of(Array.from({ length: 8_192 }, (_, at) => at));
    expect(many.encode(0).length).toBe(1_025);
  });

  test('is not decoded from invalid bytes', () => {
    for (const bytes of [[], [7], [0, 1, 2], [1, 255, 255, 255, 7]])
      expect(() => NumberSet.decode([[0, Uint8Array.from(bytes)]])).toThrow(RangeError);
  });
});
