import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Draw, MAX_ORDER, orderBetween } from '../../shared/domain/cards/order.ts';

/** Pseudorandom numbers that are reproducible by their seed. */
const draws = (seed: number): Draw => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
};
const placed = (before: string | undefined, after: string | undefined, draw?: Draw): string => {
  const order = orderBetween(before, after, draw);
  if (order === undefined) throw new Error('There was no place.');
  return order;
};
const longest = (orders: readonly string[]) => Math.max(...orders.map((order) => order.length));
const sorted = (orders: readonly string[]) => [...orders].sort((a, b) => (a < b ? -1 : 1));
/** Inserts `count` places, each at the index that `indexOf` names of those that are there. */
const inserted = (count: number, draw: Draw, indexOf: (length: number) => number): string[] => {
  const orders: string[] = [];
  for (let at = 0; at < count; at++) {
    const index = indexOf(orders.length);
    orders.splice(index, 0, placed(orders[index - 1], orders[index], draw));
  }
  return orders;
};
const SEED = Number(process.env.SEED ?? 20_261_126);

describe(`the places of cards (seed ${SEED})`, () => {
  test('10,000 cards put anywhere are in the order in which they were put, at places of at most 40 characters', () => {
    const draw = draws(SEED);
    const orders = inserted(10_000, draw, (length) => Math.floor(draw() * (length + 1)));
    expect(orders).toEqual(sorted(orders));
    expect(new Set(orders).size).toBe(orders.length);
    expect(longest(orders)).toBeLessThanOrEqual(40);
  });

  test.each([
    ['at the end', (length: number) => length],
    ['at the beginning', () => 0],
    ['behind the first', (length: number) => Math.min(1, length)],
    ['before the last', (length: number) => Math.max(0, length - 1)],
  ])('2,000 cards put %s have places of at most 20 characters', (_, indexOf) => {
    const orders = inserted(2_000, draws(SEED), indexOf);
    expect(orders).toEqual(sorted(orders));
    expect(longest(orders)).toBeLessThanOrEqual(20);
  });

  test('100,000 cards at either end have places of at most 8 characters', () => {
    let [last, earliest] = [placed(undefined, undefined), placed(undefined, undefined)];
    for (let at = 0; at < 100_000; at++) {
      last = placed(last, undefined);
      earliest = placed(undefined, earliest);
    }
    expect([last.length, earliest.length].every((length) => length <= 8)).toBe(true);
  });

  test('2,000 cards put between the two latest ones, which no scheme places in less, stay below the longest place', () => {
    const draw = draws(SEED);
    let [low, high] = [placed(undefined, undefined, draw), ''];
    high = placed(low, undefined, draw);
    for (let at = 0; at < 2_000; at++) {
      const order = placed(low, high, draw);
      expect(low < order && order < high).toBe(true);
      if (at % 2 === 0) high = order;
      else low = order;
    }
    expect(Math.max(low.length, high.length)).toBeLessThan(MAX_ORDER);
  });

  test('there is a place between any two, whatever is drawn', () => {
    const extreme = fc.constantFrom(0, 0.25, 0.5, 0.999_999_999);
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), extreme), { minLength: 2, maxLength: 200 }), (steps) => {
        const orders: string[] = [];
        for (const [where, drawn] of steps) {
          const index = where % (orders.length + 1);
          orders.splice(
            index,
            0,
            placed(orders[index - 1], orders[index], () => drawn),
          );
        }
        expect(orders).toEqual(sorted(orders));
        expect(new Set(orders).size).toBe(orders.length);
      }),
      { numRuns: 300, seed: SEED },
    );
  });

  test('a position that would be too long is undefined', () => {
    let [low, high] = [placed(undefined, undefined), ''];
    high = placed(low, undefined);
    let order: string | undefined = low;
    for (let at = 0; order !== undefined && at < 20_000; at++) {
      order = orderBetween(low, high, () => 0);
      if (order === undefined) break;
      expect(order.length).toBeLessThanOrEqual(MAX_ORDER);
      if (at % 2 === 0) high = order;
      else low = order;
    }
    expect(order).toBeUndefined();
  });

  test('an invalid position is rejected, and so are two in the wrong order', () => {
    for (const text of ['a', 'c12', 'a!', '!1']) expect(() => orderBetween(text, undefined)).toThrow(TypeError);
    const low = placed(undefined, undefined);
    expect(() => orderBetween(placed(low, undefined), low)).toThrow(RangeError);
    expect(() => orderBetween(low, low)).toThrow(RangeError);
  });
});
