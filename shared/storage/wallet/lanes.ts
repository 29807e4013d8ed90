import type { Id } from '../../domain/core/ids.ts';
import { asCoins } from '../../domain/core/money.ts';
import type { Channel } from '../../domain/message/channel.ts';
import { edgesOf, type PriceRow } from '../../domain/pricing/prices.ts';
import type { MonthVolume, VolumeChange } from '../../domain/pricing/volume.ts';
import { leaseWindows, unusedPositions, type Window } from '../../domain/pricing/windows.ts';
import { fewerLanes, LANE_CHECK_MS, type LaneNeed, leaseSize, moreLanes } from '../../domain/wallet/lanes.ts';
import { WARNING_LEVEL } from '../../domain/wallet/wallet.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT, all, EXISTS, isStill } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { rememberLane, rememberWallet } from './lane-cache.ts';
import { type LaneState, windowAttributes, windowName } from './lane-rows.ts';
import { lanesUpTo } from './read-wallet.ts';
import { recallCoins, returnLane, setLanes } from './recall.ts';
import { freeUnits, monthNames, takenUnits, volumeOf, WINDOW_NAMES } from './volumes.ts';
import { countOf, laneRows, type StoredWallet, walletRows } from './wallet-row.ts';

/** Leases from a wallet to its lanes (docs/spec/wallet.md#lanes). recall.ts returns them. */

/** The channel's month in which sends are priced. */
export interface LaneMonth {
  readonly channel: Channel;
  readonly month: string;
  /** The price row of the send that needs the positions: band edges are those of the channel. */
  readonly price: PriceRow;
}
/** A debit's requirement of its lane; `volume` if it takes positions. */
export interface LaneDemand extends LaneNeed {
  readonly volume?: LaneMonth | undefined;
}
type Org = Id<'organization'>;

const nameOf = ({ channel, month }: LaneMonth): string => windowName(channel, month);

/** The coins that a wallet can lease: those above the level at which a debit would raise a warning. None if one was raised. */
const spendableOf = ({ balance, low, warned }: StoredWallet): number =>
  warned === WARNING_LEVEL.nothing ? balance - Math.max(low, 1) : 0;

/** Condition: the wallet can still lease the coins without falling below its warning level. */
const canLease = (coins: number, { low }: StoredWallet): Condition => ({
  text: '#balance >= :spare AND #low = :low AND #warned = :nothing',
  values: { spare: coins + Math.max(low, 1), low, nothing: WARNING_LEVEL.nothing },
});

/** The change of the wallet's row by leases, besides coins. Condition: the month is exactly as it was read. */
interface MonthTake {
  readonly add: Readonly<Record<string, number>>;
  readonly when: readonly Condition[];
}

const takeOf = ({ channel, month }: LaneMonth, at: MonthVolume, change: VolumeChange): MonthTake => {
  if (change.units === 0 && change.reused.length === 0) return { add: {}, when: [] };
  const names = monthNames(channel, month);
  const reused = change.reused.map(
    ({ from, units }): Condition => ({
      text: `#${names.free}${from} >= :free${from}`,
      values: { [`free${from}`]: units },
    }),
  );
  return { add: takenUnits(change, names), when: [isStill(names.taken, at.taken), ...reused] };
};

/** The windows of lanes that lease this many units each, and the change of the month in the wallet's row. */
const windowsOf = (
  row: Row,
  { volume }: LaneDemand,
  lanes: number,
  units: number,
): MonthTake & { readonly windows: readonly Window[] } => {
  if (!volume || lanes === 0) return { windows: [], add: {}, when: [] };
  const at = volumeOf(row, monthNames(volume.channel, volume.month));
  const { windows, change } = leaseWindows(volume.price, at, Array<number>(lanes).fill(units));
  return { windows, ...takeOf(volume, at, change) };
};

const windowSet = (volume: LaneMonth | undefined, window: Window | undefined): Record<string, unknown> =>
  volume && window ? windowAttributes(nameOf(volume), window) : {};

/** The current row of the wallet. */
const readRoot = async (table: Table, organizationId: Org) => {
  const row = await table.get(KEYS.wallet(organizationId));
  return row && { row, wallet: rememberWallet(table, organizationId, row) };
};

/** A lane without any sends yet. */
const newLane = (
  organizationId: Org,
  lane: number,
  coins: number,
  set: Readonly<Record<string, unknown>>,
): WriteOp => ({
  put: {
    ...KEYS.walletLane(organizationId, lane),
    ...laneRows.set({ balance: asCoins(coins), held: 0, leased: -coins }),
    ...set,
  },
  when: ABSENT,
});

/**
 * Opens more lanes, each with a lease, because debits conflict on the present ones. No effect if the wallet has too little left, or if
 * another process opened some meanwhile.
 */
export const openLanes = async (table: Table, organizationId: Org, demand: LaneDemand, now: number): Promise<void> => {
  const root = await readRoot(table, organizationId);
  if (!root) return;
  const { row, wallet } = root;
  const lanes = moreLanes(wallet.lanes);
  const size = leaseSize(spendableOf(wallet), lanes, demand);
  if (!size || lanes === wallet.lanes) return;
  const fresh = lanesUpTo(lanes).filter((lane) => lane > wallet.opened);
  const coins = size.coins * fresh.length;
  const month = windowsOf(row, demand, fresh.length, size.units);
  const opened = Math.max(wallet.opened, lanes);
  const began = wallet.opened === 0 ? walletRows.set({ checkedAt: now, checkedCount: countOf(wallet) }) : {};
  await table.transact([
    {
      update: KEYS.wallet(organizationId),
      set: {
        ...walletRows.set({ lanes, opened, ledgers: Math.max(wallet.ledgers, lanes) }),
        ...began,
        ...INDEX_KEYS.due('check_lanes', organizationId, now + LANE_CHECK_MS),
      },
      add: { balance: -coins, leased: coins, ...month.add },
      when: all(
        canLease(coins, wallet),
        isStill('lanes', wallet.lanes),
        isStill('opened', wallet.opened),
        ...month.when,
      ),
    },
    ...fresh.map((lane, at) => newLane(organizationId, lane, size.coins, windowSet(demand.volume, month.windows[at]))),
  ]);
  await readRoot(table, organizationId);
};

/** Whether a lane has enough for a debit. */
export const suffices = (
  { balance, window, segments, end }: LaneState,
  { coins, units, volume }: LaneDemand,
): boolean => balance >= coins && (!volume || (window === nameOf(volume) && end - segments >= units));

/** A lease's write to its lane. The rest of the lane's window, too small for the send, is kept among its returned positions. */
const leaseWrite = (
  organizationId: Org,
  lane: number,
  own: LaneState,
  coins: number,
  { volume }: LaneDemand,
  window: Window | undefined,
): WriteOp => {
  const update = KEYS.walletLane(organizationId, lane);
  const add = { balance: coins, leased: -coins };
  if (!volume || !window) return { update, add, when: EXISTS };
  const { free, ...range } = window;
  const left = unusedPositions(edgesOf(volume.price), { taken: own.segments, end: own.end, free });
  return {
    update,
    set: laneRows.set({ window: nameOf(volume), segments: range.taken, end: range.end }),
    add: { ...add, ...freeUnits(left, WINDOW_NAMES) },
    when: all(isStill('segments', own.segments), isStill('end', own.end), EXISTS),
  };
};

/**
 * Leases to a lane what a debit lacked there. `root`: the wallet itself must pay. `again`: the lane has it now, or other lanes should be
 * tried: another process leased to it, or lanes were closed because the wallet has little left.
 */
export const refillLane = async (
  table: Table,
  organizationId: Org,
  lane: number,
  demand: LaneDemand,
): Promise<'again' | 'root'> => {
  const [root, row] = await Promise.all([
    readRoot(table, organizationId),
    table.get(KEYS.walletLane(organizationId, lane)),
  ]);
  const own = rememberLane(table, organizationId, lane, row);
  const wallet = root?.wallet;
  if (!wallet || lane > wallet.lanes || !own) return wallet?.lanes && lane <= wallet.lanes ? 'root' : 'again';
  if (suffices(own, demand)) return 'again';
  if (demand.volume && own.window !== '' && own.window !== nameOf(demand.volume)) {
    await returnLane(table, organizationId, lane, own, edgesOf(demand.volume.price));
    return 'again';
  }
  const size = leaseSize(spendableOf(wallet), wallet.lanes, demand);
  if (!size) {
    if (demand.sends > 1) return 'root';
    await closeLanes(table, organizationId, wallet);
    return 'again';
  }
  const units = demand.volume && own.end - own.segments >= demand.units ? 0 : size.units;
  const month = windowsOf(root.row, demand, units === 0 ? 0 : 1, units);
  const still: Condition = { text: '#lanes >= :lane', values: { lane } };
  await table.transact([
    {
      update: KEYS.wallet(organizationId),
      add: { balance: -size.coins, leased: size.coins, ...month.add },
      when: all(canLease(size.coins, wallet), still, ...month.when),
    },
    leaseWrite(organizationId, lane, own, size.coins, demand, month.windows[0]),
  ]);
  rememberLane(table, organizationId, lane, await table.get(KEYS.walletLane(organizationId, lane)));
  return 'again';
};

/** Closes lanes because the wallet can't fund leases of a useful size, and recalls their coins. */
const closeLanes = async (table: Table, organizationId: Org, { lanes }: StoredWallet): Promise<void> => {
  const next = fewerLanes(lanes);
  await setLanes(table, organizationId, lanes, next);
  await recallCoins(table, organizationId, next);
};
