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

/** A lane with its part of a month's volume, and its returned units of any month. */
export interface LaneState extends StoredLane {
  readonly free: Window['free'];
  readonly freed: Freed;
}

export const readLane = (row: Row): LaneState => ({
  ...laneRows.read(row),
  free: volumeOf(row, WINDOW_NAMES).free,
  freed: sumFreed([row]),
});

/** The name of a channel's month in a lane's row. */
export const windowName = (channel: Channel, month: string): string => `${channel}_${month}`;
/** The channel and month of a window's name. */
export const windowOf = (name: string): { readonly channel: Channel; readonly month: string } => {
  const [channel = '', month = ''] = name.split('_');
  return { channel: channel as Channel, month };
};

/** A debit's change of a lane. */
export interface LaneDebit {
  readonly coins: number;
  /** Counters to increase. */
  readonly add: Readonly<Record<string, number>>;
  /** Live only: its change of the lane's part of a channel's month. */
  readonly volume?: { readonly channel: Channel; readonly month: string; readonly change: VolumeChange } | undefined;
}

/** No lane has this position. */
const NO_POSITION = -1;

/**
 * Condition: the lane's window is of the change's month, ends where this process last saw, and has room for the change at its price. The
 * known window may be of another month, or of a lane that was closed and reopened.
 */
const isInWindow = (end: number, { channel, month, change }: NonNullable<LaneDebit['volume']>): Condition => {
  const volumeTo = Math.min(change.volumeTo, end - change.units);
  // If nothing fits, the condition must match no position, and DynamoDB rejects a range that ends before it starts.
  const isRoom = change.volumeFrom <= volumeTo;
  const fits = {
    ...change,
    volumeFrom: isRoom ? change.volumeFrom : NO_POSITION,
    volumeTo: isRoom ? volumeTo : NO_POSITION,
  };
  const own = { text: '#window = :window AND #end = :end', values: { window: windowName(channel, month), end } };
  return allOf([own, isAsPriced(fits, WINDOW_NAMES)]) ?? own;
};

/** A debit's write to its lane. Fails if the lane's coins or positions are insufficient, or if there is no such lane. */
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

/** The names of the attributes with a lane's positions outside of its window. */
export const positionNames = ({ free, freed }: LaneState): string[] => [
  ...Object.keys(freeUnits(free, WINDOW_NAMES)),
  ...Object.keys(freed),
];
