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
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';

/**
 * A month's row counts in `segments` the positions that were given out, and in `free<n>` those that came back in the band whose first
 * position is n: numbers that concurrent transactions add to.
 */
export const freeName = (from: number): string => `free${from}`;
const FREE = /^free(\d+)$/;

/** The volume of a row; nothing before a month's first send. */
export const volumeOf = (row: Row | undefined): MonthVolume => {
  if (!row) return NO_VOLUME;
  const free = Object.entries(row).flatMap(([name, units]) => {
    const from = FREE.exec(name)?.[1];
    return from === undefined ? [] : [{ from: Number(from), units: z.int().parse(units) }];
  });
  return { taken: z.int().default(0).parse(row.segments), free: sumPositions(free) };
};

/** The live units of an organization's month on a channel. One read of one small row. */
export const readVolume = async (
  liveTable: Table,
  organizationId: Id<'organization'>,
  channel: string,
  month: string,
): Promise<MonthVolume> =>
  volumeOf(await liveTable.get(KEYS.volume(organizationId, channel, month), { eventual: true }));

/** Condition: the month, or a lane's part of it, is as a change was priced. */
export const isAsPriced = ({ units, volumeFrom, volumeTo, reused, usedUp }: VolumeChange): Condition => {
  const reusedOf = new Map(reused.map((one) => [one.from, one.units]));
  const parts = [
    ...(units === 0 ? [] : ['#segments BETWEEN :low AND :high']),
    ...[...reusedOf.keys()].map((from) => `#${freeName(from)} ${usedUp.includes(from) ? '=' : '>='} :from${from}`),
    ...usedUp
      .filter((from) => !reusedOf.has(from))
      .map((from) => `(attribute_not_exists(#${freeName(from)}) OR #${freeName(from)} <= :none)`),
  ];
  const isFirst = volumeFrom === 0 && reused.length === 0 ? 'attribute_not_exists(#segments) OR ' : '';
  return {
    text: `${isFirst}${parts.join(' AND ')}`,
    values: {
      ...(units === 0 ? {} : { low: volumeFrom, high: volumeTo }),
      ...Object.fromEntries([...reusedOf].map(([from, taken]) => [`from${from}`, taken])),
      ...(usedUp.some((from) => !reusedOf.has(from)) ? { none: 0 } : {}),
    },
  };
};

/** Positions as the attributes that count what came back. */
export const freeUnits = (positions: readonly Positions[]): Record<string, number> =>
  Object.fromEntries(positions.map(({ from, units }) => [freeName(from), units]));

/** What a change takes of the row that counts a month, or a lane's part of it. `back`: positions that the same transaction returns. */
export const takenUnits = (change: VolumeChange, back: readonly Positions[] = []): Record<string, number> => {
  const moved = sumPositions([...back, ...change.reused.map(({ from, units }) => ({ from, units: -units }))]);
  return {
    ...(change.units === 0 ? {} : { segments: change.units }),
    ...freeUnits(moved),
  };
};

/** Takes a quote's positions. Fails where the month is not as it was priced. `back`: positions that the same transaction returns. */
export const volumeWrite = (
  organizationId: Id<'organization'>,
  channel: Channel,
  month: string,
  change: VolumeChange,
  back: readonly Positions[] = [],
): WriteOp => ({
  update: KEYS.volume(organizationId, channel, month),
  add: takenUnits(change, back),
  when: isAsPriced(change),
});

/** Gives positions of a month back: sends use them again. Always succeeds. */
export const volumeReturn = (
  organizationId: Id<'organization'>,
  channel: Channel,
  { month, positions }: TakenPositions,
): WriteOp => ({
  update: KEYS.volume(organizationId, channel, month),
  add: freeUnits(positions),
});

/** What a chunk's escrow counts until it is settled: units that come back, by channel, month and band. */
export type Freed = Readonly<Record<string, number>>;
const FREED = /^freed_([a-z]+)_(\d{6})_(\d+)$/;

export const freedUnits = (channel: Channel, { month, positions }: TakenPositions): Freed =>
  Object.fromEntries(positions.map(({ from, units }) => [`freed_${channel}_${month}_${from}`, units]));
/** The sums of rows that count freed units, less what was returned already. */
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
/** Gives freed units back, a write for each month. */
export const freedReturns = (organizationId: Id<'organization'>, freed: Freed): WriteOp[] => {
  const months = new Map<string, { channel: Channel; month: string; positions: Positions[] }>();
  for (const [name, units] of Object.entries(freed)) {
    const [, channel = '', month = '', from] = FREED.exec(name) ?? [];
    const found = months.get(`${channel} ${month}`) ?? { channel: channel as Channel, month, positions: [] };
    found.positions.push({ from: Number(from), units });
    months.set(`${channel} ${month}`, found);
  }
  return [...months.values()].map((one) => volumeReturn(organizationId, one.channel, one));
};

type PriceRange = (volume: MonthVolume) => Pick<VolumeChange, 'volumeFrom' | 'volumeTo'>;
interface Seen {
  volume: MonthVolume;
  at: number;
}
/**
 * What an organization's live volume grows by in a millisecond, about: lanes that lease many positions at once are noticed the sooner, the closer
 * the band's end is, at the latest after what is left of the band divided by this.
 */
const MAX_SEGMENTS_PER_MS = 25;
const MAX_SEEN = 10_000;

/** How long a volume beyond the first band is trusted, in ms: positions may have come back in an earlier one. */
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
