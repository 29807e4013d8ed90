import { asCoins, type Coins } from '../core/money.ts';
import { type BandRange, bandAt, edgesOf, type PriceRow } from './prices.ts';

/** Units of a month at positions of one band, whose first position is `from`. */
export interface Positions {
  readonly from: number;
  readonly units: number;
}

/**
 * The live units of an organization's month: every position up to `taken` was assigned, and those in `free` were
 * returned.
 */
export interface MonthVolume {
  readonly taken: number;
  readonly free: readonly Positions[];
}
export const NO_VOLUME: MonthVolume = { taken: 0, free: [] };

/** The positions of a message, and their month (YYYYMM in São Paulo). */
export interface TakenPositions {
  readonly month: string;
  readonly positions: readonly Positions[];
}

/** The effect of a reservation on a month's volume, and the range of volumes for which its price is valid. */
export interface VolumeChange {
  /** Units at new positions: `taken` must be from `volumeFrom` to `volumeTo`, inclusive, and rises by them. */
  readonly units: number;
  readonly volumeFrom: number;
  readonly volumeTo: number;
  /** Units at returned positions. */
  readonly reused: readonly Positions[];
  /**
   * Bands (by first position) that must have no free positions left: cheaper or dearer, those come before new
   * positions.
   */
  readonly usedUp: readonly number[];
}

/** A price, and its effect on the month's volume. */
export interface Quote extends VolumeChange {
  /** Total price: the sum over all units. */
  readonly coins: Coins;
  /** The band of the first unit. */
  readonly band: BandRange;
  /** All units, by the band that prices them. */
  readonly positions: readonly Positions[];
  /** The volume afterwards. */
  readonly after: MonthVolume;
}

/** Sums units by band, in the order of the bands. */
export const sumPositions = (all: readonly Positions[]): Positions[] => {
  const byBand = new Map<number, number>();
  for (const { from, units } of all) byBand.set(from, (byBand.get(from) ?? 0) + units);
  return [...byBand]
    .map(([from, units]) => ({ from, units }))
    .filter(({ units }) => units !== 0)
    .sort((a, b) => a.from - b.from);
};

/** The volume after a change. */
export const volumeAfter = ({ taken, free }: MonthVolume, { units, reused }: VolumeChange): MonthVolume => ({
  taken: taken + units,
  free: sumPositions([...free, ...reused.map((one) => ({ from: one.from, units: -one.units }))]),
});

/** Whether the price of a change is valid at a volume. */
export const isPricedAt = (
  volume: MonthVolume,
  { units, volumeFrom, volumeTo, reused, usedUp }: VolumeChange,
): boolean => {
  const free = (band: number) => volume.free.find(({ from }) => from === band)?.units ?? 0;
  const reusedOf = (band: number) => reused.find(({ from }) => from === band)?.units ?? 0;
  return (
    (units === 0 || (volume.taken >= volumeFrom && volume.taken <= volumeTo)) &&
    reused.every((one) => free(one.from) >= one.units) &&
    usedUp.every((band) => free(band) <= reusedOf(band))
  );
};

const NO_END = Number.MAX_SAFE_INTEGER;

/**
 * New positions by band, and the volumes for which they are the same: the whole band, or only this volume if they cross
 * an edge.
 */
const newPositions = (row: PriceRow, units: number, taken: number) => {
  const edges = edgesOf(row);
  const parts = edges.flatMap((from, at) => {
    const end = (edges[at + 1] ?? NO_END) - 1;
    const count = Math.min(end, taken + units) - Math.max(from, taken + 1) + 1;
    return count > 0 ? [{ from, units: count, end }] : [];
  });
  const fresh = parts.map(({ from, units }): Positions => ({ from, units }));
  const [first, ...others] = parts;
  if (!first) return { fresh, volumeFrom: 0, volumeTo: NO_END };
  if (others.length > 0) return { fresh, volumeFrom: taken, volumeTo: taken };
  return { fresh, volumeFrom: first.from - 1, volumeTo: first.end === NO_END - 1 ? NO_END : first.end - units };
};

/**
 * Prices `units` in a month (docs/spec/pricing.md#the-price-of-a-message). Returned positions of earlier bands are used
 * first. Those of the current band cost the same as new ones, so they wait until the band ends; that way sends within a
 * band do not contend for them.
 */
export const quoteUnits = (row: PriceRow, units: number, volume: MonthVolume): Quote => {
  const current = bandAt(row, volume.taken + 1);
  const reused: Positions[] = [];
  let left = units;
  for (const { from, units: free } of volume.free) {
    if (bandAt(row, from).index >= current.index || left === 0) break;
    const some = Math.min(free, left);
    reused.push({ from, units: some });
    left -= some;
  }
  const { fresh, volumeFrom, volumeTo } = newPositions(row, left, volume.taken);
  const positions = [...reused, ...fresh];
  const coins = positions.reduce((sum, one) => sum + one.units * bandAt(row, one.from).coins, 0);
  const known = [...edgesOf(row), ...volume.free.map(({ from }) => from)];
  const earlier = known.filter((from) => from < current.from);
  const change = { units: left, volumeFrom, volumeTo, reused, usedUp: left > 0 ? [...new Set(earlier)] : [] };
  return {
    coins: asCoins(coins),
    band: bandAt(row, positions[0]?.from ?? volume.taken + 1),
    positions: sumPositions(positions),
    ...change,
    after: volumeAfter(volume, change),
  };
};

/** Combines two consecutive changes; the second was quoted at the volume after the first. */
export const bothChanges = (first: VolumeChange, second: VolumeChange): VolumeChange => ({
  units: first.units + second.units,
  volumeFrom: Math.max(first.volumeFrom, second.volumeFrom - first.units),
  volumeTo: Math.min(first.volumeTo, second.volumeTo === NO_END ? NO_END : second.volumeTo - first.units),
  reused: sumPositions([...first.reused, ...second.reused]),
  usedUp: [...new Set([...first.usedUp, ...second.usedUp])],
});
export const NO_CHANGE: VolumeChange = { units: 0, volumeFrom: 0, volumeTo: NO_END, reused: [], usedUp: [] };
