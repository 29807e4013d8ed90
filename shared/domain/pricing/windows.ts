import type { PriceRow } from './prices.ts';
import {
  bothChanges,
  type MonthVolume,
  NO_CHANGE,
  type Positions,
  quoteUnits,
  sumPositions,
  type VolumeChange,
} from './volume.ts';

/**
 * Positions of a month that a wallet lane may assign (docs/spec/wallet.md#lanes): those after `taken` up to `end`, and
 * returned ones.
 */
export interface Window extends MonthVolume {
  readonly end: number;
}

/** The windows of lanes that lease `units` of a month each, one after the other, and the combined volume change. */
export const leaseWindows = (
  row: PriceRow,
  volume: MonthVolume,
  units: readonly number[],
): { readonly windows: readonly Window[]; readonly change: VolumeChange } => {
  let [at, change] = [volume, NO_CHANGE];
  const windows = units.map((count): Window => {
    const quoted = quoteUnits(row, count, at);
    const window = { taken: at.taken, end: at.taken + quoted.units, free: quoted.reused };
    at = quoted.after;
    change = bothChanges(change, quoted);
    return window;
  });
  return { windows, change };
};

/** The unassigned positions of a window, by band. */
export const unusedPositions = (edges: readonly number[], { taken, end, free }: Window): Positions[] => {
  const bands = edges.map((from, at): Positions => {
    const last = (edges[at + 1] ?? Number.MAX_SAFE_INTEGER) - 1;
    return { from, units: Math.max(0, Math.min(end, last) - Math.max(taken, from - 1)) };
  });
  return sumPositions([...free, ...bands]);
};
