import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import {
  type MonthVolume,
  NO_VOLUME,
  type Positions,
  sumPositions,
  type TakenPositions,
  type VolumeChange,
} from '../../domain/pricing/volume.ts';
import { KEYS } from '../access-patterns.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/**
 * The attributes that count positions, of a channel's month in the wallet's row, or of a lane's window in the lane's: `taken` the assigned
 * positions, and `free` with the first position of a band those returned in it. Numbers that concurrent transactions add to.
 */
export interface VolumeNames {
  readonly taken: string;
  readonly free: string;
}
export const WINDOW_NAMES: VolumeNames = { taken: 'segments', free: 'free' };
/** `month`: YYYYMM in São Paulo. */
export const monthNames = (channel: Channel, month: string): VolumeNames => ({
  taken: `taken_${channel}_${month}`,
  free: `freed_${channel}_${month}_`,
});

/** The volume in a row's attributes; empty before a month's first send. */
export const volumeOf = (row: Row | undefined, names: VolumeNames): MonthVolume => {
  if (!row) return NO_VOLUME;
  const free = Object.entries(row).flatMap(([name, units]) => {
    const from = name.startsWith(names.free) ? Number(name.slice(names.free.length)) : Number.NaN;
    return Number.isInteger(from) ? [{ from, units: z.int().parse(units) }] : [];
  });
  return { taken: z.int().default(0).parse(row[names.taken]), free: sumPositions(free) };
};

/** Whether a month (YYYYMM) is before the previous one: it prices nothing any more, and returned positions are useless. */
export const isPastMonth = (month: string, now: string): boolean => {
  const [at, from] = [month, now].map((one) => Number(one.slice(0, 4)) * 12 + Number(one.slice(4)));
  return at !== undefined && from !== undefined && at < from - 1;
};

const MONTH = /^(?:taken|freed)_[a-z]+_(\d{6})/;
/** The attributes of past months in a wallet's row. */
export const pastNames = (row: Row, now: string): string[] =>
  Object.keys(row).filter((name) => {
    const month = MONTH.exec(name)?.[1];
    return month !== undefined && isPastMonth(month, now);
  });

/**
 * The live units of an organization's month on a channel. One read of one small row; with `bands` only these attributes, for a stage that
 * may see nothing else of a live wallet.
 */
export const readVolume = async (
  liveTable: Table,
  organizationId: Id<'organization'>,
  channel: Channel,
  month: string,
  bands?: readonly number[],
): Promise<MonthVolume> => {
  const names = monthNames(channel, month);
  const only = bands && ['pk', 'sk', names.taken, ...bands.map((from) => `${names.free}${from}`)];
  return volumeOf(
    await liveTable.get(KEYS.wallet(organizationId), { eventual: true, ...(only ? { only } : {}) }),
    names,
  );
};

/** Condition: the month, or a lane's part of it, allows the change at its price; undefined if the change takes nothing. */
export const isAsPriced = (
  { units, volumeFrom, volumeTo, reused, usedUp }: VolumeChange,
  { taken, free }: VolumeNames,
): Condition | undefined => {
  const reusedOf = new Map(reused.map((one) => [one.from, one.units]));
  const unused = usedUp.filter((from) => !reusedOf.has(from));
  const parts = [
    ...(units === 0 ? [] : [`#${taken} BETWEEN :first AND :last`]),
    ...[...reusedOf.keys()].map((from) => `#${free}${from} ${usedUp.includes(from) ? '=' : '>='} :from${from}`),
    ...unused.map((from) => `(attribute_not_exists(#${free}${from}) OR #${free}${from} <= :none)`),
  ];
  if (parts.length === 0) return undefined;
  const isFirst = volumeFrom === 0 && reused.length === 0 ? `attribute_not_exists(#${taken}) OR ` : '';
  return {
    text: `(${isFirst}${parts.join(' AND ')})`,
    values: {
      ...(units === 0 ? {} : { first: volumeFrom, last: volumeTo }),
      ...Object.fromEntries([...reusedOf].map(([from, count]) => [`from${from}`, count])),
      ...(unused.length > 0 ? { none: 0 } : {}),
    },
  };
};

/** Positions as the attributes that count returned ones. */
export const freeUnits = (positions: readonly Positions[], { free }: VolumeNames): Record<string, number> =>
  Object.fromEntries(positions.map(({ from, units }) => [`${free}${from}`, units]));

/** A change of the row that counts a month, or a lane's part of it. `back`: positions that the same transaction returns. */
export const takenUnits = (
  change: VolumeChange,
  names: VolumeNames,
  back: readonly Positions[] = [],
): Record<string, number> => {
  const moved = sumPositions([...back, ...change.reused.map(({ from, units }) => ({ from, units: -units }))]);
  return {
    ...(change.units === 0 ? {} : { [names.taken]: change.units }),
    ...freeUnits(moved, names),
  };
};

/** Returned units, by channel, month and band: counters in a wallet's row, a lane's, or a shard of a chunk's escrow. */
export type Freed = Readonly<Record<string, number>>;
const FREED = /^freed_[a-z]+_\d{6}_\d+$/;

export const freedUnits = (channel: Channel, { month, positions }: TakenPositions): Freed =>
  freeUnits(positions, monthNames(channel, month));
/** The sums of rows that count returned units, minus those already passed on. */
export const sumFreed = (
  rows: readonly (Readonly<Record<string, unknown>> | undefined)[],
  returned: Freed = {},
): Freed => {
  const sums: Record<string, number> = {};
  for (const [name, units] of rows.flatMap((row) => Object.entries(row ?? {})))
    if (FREED.test(name)) sums[name] = (sums[name] ?? 0) + z.int().parse(units);
  for (const [name, units] of Object.entries(returned)) sums[name] = (sums[name] ?? 0) - units;
  return Object.fromEntries(Object.entries(sums).filter(([, units]) => units !== 0));
};
type PriceRange = (volume: MonthVolume) => Pick<VolumeChange, 'volumeFrom' | 'volumeTo'>;
interface Seen {
  volume: MonthVolume;
  at: number;
}
/**
 * Approximate growth of an organization's live volume per millisecond: the closer a band's end, the sooner its volume is read again, at the
 * latest after the rest of the band divided by this.
 */
const MAX_SEGMENTS_PER_MS = 25;
const MAX_SEEN = 10_000;

/** How long a volume beyond the first band is cached, in ms: positions of an earlier band may have been returned. */
const FREE_SEEN_WITHIN_MS = 1_000;

/**
 * A process's cached volumes. Live sends use the last one seen, since their transaction verifies it or returns the right one. Test sends need
 * the true band: the volume is read again as soon as it could have reached the next band since the last read.
 */
export const volumeReader = (
  read: (organizationId: Id<'organization'>, month: string) => Promise<MonthVolume>,
  clock: () => number,
) => {
  const seen = new Map<string, Seen>();
  const keep = (key: string, volume: MonthVolume) => {
    if (seen.size >= MAX_SEEN) seen.clear();
    seen.set(key, { volume, at: clock() });
    return volume;
  };
  return {
    /** The last volume seen, or none: a condition must verify it. */
    guess: (organizationId: Id<'organization'>, month: string): MonthVolume =>
      seen.get(`${organizationId}#${month}`)?.volume ?? NO_VOLUME,
    learn: (organizationId: Id<'organization'>, month: string, volume: MonthVolume): void =>
      void keep(`${organizationId}#${month}`, volume),
    /** A volume with the same price as the true one; `range` returns the volumes that have the price of a given one. */
    async sure(organizationId: Id<'organization'>, month: string, range: PriceRange): Promise<MonthVolume> {
      const key = `${organizationId}#${month}`;
      const held = seen.get(key);
      if (held) {
        const age = clock() - held.at;
        const { volumeFrom, volumeTo } = range(held.volume);
        const inBand = held.volume.taken + (age + 50) * MAX_SEGMENTS_PER_MS < volumeTo;
        if (inBand && (volumeFrom === 0 || age < FREE_SEEN_WITHIN_MS)) return held.volume;
      }
      return keep(key, await read(organizationId, month));
    },
  };
};
