import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bandAt, type PriceRow } from '../../shared/domain/pricing/prices.ts';
import {
  bothChanges,
  type MonthVolume,
  NO_CHANGE,
  NO_VOLUME,
  type Positions,
  quoteUnits,
  sumPositions,
  type VolumeChange,
} from '../../shared/domain/pricing/volume.ts';

const SEED = 20_261_123;

const rowOf = (...bands: readonly [upTo: number | null, coins: number][]): PriceRow => ({
  channel: 'sms',
  route: 'premium',
  unit: 'segment',
  bands: bands.map(([upTo, coins]) => ({ upTo, coins })),
});
const FLAT = rowOf([null, 1_000]);
const BANDED = rowOf([5, 100], [12, 70], [20, 50], [null, 30]);
const EDGES = [1, 6, 13, 21];

/** Whether a reservation's condition accepts it. */
const fits = ({ taken, free }: MonthVolume, change: VolumeChange): boolean => {
  const freeAt = (from: number) => free.find((one) => one.from === from)?.units ?? 0;
  const reusedAt = (from: number) => change.reused.find((one) => one.from === from)?.units ?? 0;
  return (
    (change.units === 0 || (taken >= change.volumeFrom && taken <= change.volumeTo)) &&
    change.reused.every(({ from, units }) => freeAt(from) >= units) &&
    change.usedUp.every((from) => freeAt(from) === reusedAt(from))
  );
};

/** A step: units are sent, or one of the messages that were sent comes back. */
const steps = fc.array(
  fc.oneof(
    fc.record({ units: fc.integer({ min: 1, max: 4 }), flat: fc.boolean(), staleBy: fc.nat({ max: 3 }) }),
    fc.record({ back: fc.nat() }),
  ),
  { maxLength: 40 },
);

describe('a month’s volume', () => {
  test('costs what its positions cost, whatever came back in between, and gives no position twice', () => {
    fc.assert(
      fc.property(steps, (history) => {
        let volume = NO_VOLUME;
        const volumes = [volume];
        const sent: { positions: readonly Positions[]; row: PriceRow; coins: number }[] = [];
        for (const step of history) {
          if ('back' in step) {
            const [message] = sent.splice(step.back % Math.max(1, sent.length), 1);
            volume = { ...volume, free: sumPositions([...volume.free, ...(message?.positions ?? [])]) };
          } else {
            const row = { ...(step.flat ? FLAT : BANDED), edges: EDGES };
            const stale = volumes.at(-1 - step.staleBy) ?? volume;
            const guessed = quoteUnits(row, step.units, stale);
            const quote = fits(volume, guessed) ? guessed : quoteUnits(row, step.units, volume);
            expect(fits(volume, quote)).toBe(true);
            const free = [...volume.free, ...quote.reused.map(({ from, units }) => ({ from, units: -units }))];
            volume = { taken: volume.taken + quote.units, free: sumPositions(free) };
            sent.push({ ...quote, row });
          }
          volumes.push(volume);
          expect(volume.free.every(({ units }) => units > 0)).toBe(true);
          const held = sumPositions([...volume.free, ...sent.flatMap(({ positions }) => positions)]);
          const all = quoteUnits({ ...BANDED, edges: EDGES }, volume.taken, NO_VOLUME).positions;
          expect(held).toEqual(all);
        }
        for (const { positions, row, coins } of sent)
          expect(coins).toBe(positions.reduce((sum, { from, units }) => sum + units * bandAt(row, from).coins, 0));
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });

  test('assigns returned positions of an earlier band before new ones, and the rest from the current position', () => {
    const volume = { taken: 14, free: [{ from: 1, units: 2 }] };
    expect(quoteUnits(BANDED, 3, volume)).toMatchObject({
      coins: 2 * 100 + 50,
      band: { index: 0 },
      units: 1,
      reused: [{ from: 1, units: 2 }],
      positions: [
        { from: 1, units: 2 },
        { from: 13, units: 1 },
      ],
      after: { taken: 15, free: [] },
    });
  });

  test('keeps positions of the current band for the band’s end, so that sends do not wait for each other', () => {
    expect(quoteUnits(BANDED, 2, { taken: 3, free: [{ from: 1, units: 2 }] })).toMatchObject({
      units: 2,
      reused: [],
      usedUp: [],
    });
  });

  test('prices messages of a chunk by one change that is right at the same volumes as each of them', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 });
    const start = fc.record({ taken: fc.nat({ max: 30 }), one: fc.nat({ max: 3 }), six: fc.nat({ max: 3 }) });
    fc.assert(
      fc.property(sizes, start, start, (units, { taken, one, six }, other) => {
        const free = (a: number, b: number) =>
          sumPositions([
            { from: 1, units: a },
            { from: 6, units: b },
          ]);
        const row = { ...BANDED, edges: EDGES };
        const price = (volume: MonthVolume) => {
          let [at, coins, change] = [volume, 0, NO_CHANGE];
          for (const each of units) {
            const quote = quoteUnits(row, each, at);
            [at, coins, change] = [quote.after, coins + quote.coins, bothChanges(change, quote)];
          }
          return { coins, change };
        };
        const { coins, change } = price({ taken, free: free(one, six) });
        const elsewhere = { taken: other.taken, free: free(other.one, other.six) };
        expect(fits({ taken, free: free(one, six) }, change)).toBe(true);
        if (fits(elsewhere, change) && change.units > 0) expect(price(elsewhere).coins).toBe(coins);
      }),
      { seed: SEED, numRuns: 2_000 },
    );
  });
});
