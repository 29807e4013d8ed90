import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { VolumeChange } from '../../domain/pricing/volume.ts';
import type { Window } from '../../domain/pricing/windows.ts';
import { KEYS } from '../access-patterns.ts';
import { allOf } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { type Freed, freeUnits, isAsPriced, sumFreed, takenUnits, volumeOf, WINDOW_NAMES } from './volumes.ts';
import { laneRows, type StoredLane } from './wallet-row.ts';

/** A lane with its part of a month's volume, and the units that came back to it of any month. */
export interface LaneState extends StoredLane {
  readonly free: Window['free'];
  readonly freed: Freed;
}

export const readLane = (row: Row): LaneState => ({
  ...laneRows.read(row),
  free: volumeOf(row, WINDOW_NAMES).free,
  freed: sumFreed([row]),
});

/** A channel's month, as a lane names what its window is of. */
export const windowName = (channel: Channel, month: string): string => `${channel}_${month}`;
/** The channel and month of a window's name. */
export const windowOf = (name: string): { readonly channel: Channel; readonly month: string } => {
  const [channel = '', month = ''] = name.split('_');
  return { channel: channel as Channel, month };
};

/** What a debit takes of a lane. */
export interface LaneDebit {
  readonly coins: number;
  /** Counters to increase. */
  readonly add: Readonly<Record<string, number>>;
  /** Live only: what it takes of the lane's part of a channel's month. */
  readonly volume?: { readonly channel: Channel; readonly month: string; readonly change: VolumeChange } | undefined;
}

/** No lane is at it. */
const NO_POSITION = -1;

/**
 * Condition: the lane's window is of the month of a change, ends where this process saw it end, and has room for the change at its price. What
 * this process saw may be a window of another month, or of a lane that was closed and opened again.
 */
const isInWindow = (end: number, { channel, month, change }: NonNullable<LaneDebit['volume']>): Condition => {
  const volumeTo = Math.min(change.volumeTo, end - change.units);
  // Where nothing fits no position may, and DynamoDB refuses a range that ends before it starts.
  const isRoom = change.volumeFrom <= volumeTo;
  const fits = {
    ...change,
    volumeFrom: isRoom ? change.volumeFrom : NO_POSITION,
    volumeTo: isRoom ? volumeTo : NO_POSITION,
  };
  const own = { text: '#window = :window AND #end = :end', values: { window: windowName(channel, month), end } };
  return allOf([own, isAsPriced(fits, WINDOW_NAMES)]) ?? own;
};

/** A debit's write to its lane. Fails where the lane's coins or positions do not suffice, or there is no such lane. */
export const laneWrite = (
  organizationId: Id<'organization'>,
  lane: number,
  { end }: Pick<LaneState, 'end'>,
  { coins, add, volume }: LaneDebit,
): WriteOp => {
  const funds: Condition = { text: '#balance >= :coins', values: { coins } };
  const fits = volume && isInWindow(end, volume);
  return {
    update: KEYS.walletLane(organizationId, lane),
    add: { balance: -coins, ...add, ...(volume ? takenUnits(volume.change, WINDOW_NAMES) : {}) },
    when: allOf([funds, fits]) ?? funds,
  };
};

/** The attributes of a lane's new window. */
export const windowAttributes = (name: string, { taken, end, free }: Window): Record<string, unknown> => ({
  ...laneRows.set({ window: name, segments: taken, end }),
  ...freeUnits(free, WINDOW_NAMES),
});

/** The names of the attributes in which a lane has positions besides its window. */
export const positionNames = ({ free, freed }: LaneState): string[] => [
  ...Object.keys(freeUnits(free, WINDOW_NAMES)),
  ...Object.keys(freed),
];
