import type { Tenant } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Coins } from '../../domain/core/money.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { PriceRow } from '../../domain/pricing/prices.ts';
import { type MonthVolume, NO_VOLUME, type Positions, type VolumeChange } from '../../domain/pricing/volume.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import { pause } from '../client/retries.ts';
import type { CancelReason, Table, TransactOutcome } from '../client/table.ts';
import { chooseLane, guessWallet, rememberLane, rememberWallet, seenWallet } from './lane-cache.ts';
import { type LaneState, laneWrite, windowName } from './lane-rows.ts';
import { type LaneDemand, openLanes, refillLane, suffices } from './lanes.ts';
import { recallAll } from './recall.ts';
import { volumeOf, volumeWrite } from './volumes.ts';
import { type DebitPlan, debitWrite, planDebit } from './wallet.ts';

/** A debit of a wallet, at the wallet's own row (lane 0) or at a lane. */
export interface Debit extends Tenant {
  readonly lane: number;
  readonly coins: Coins;
  /** Counters to increase, and the coins that are held. */
  readonly add: Readonly<Record<string, number>>;
  /** Messages that it pays for. */
  readonly sends: number;
  /** Live only: what it takes of the channel's month. `back`: positions that the same transaction returns to it. */
  readonly volume?: DebitVolume | undefined;
  readonly back?: readonly Positions[] | undefined;
  /** When it is made, in ms. */
  readonly now: number;
}
export interface DebitVolume {
  readonly channel: Channel;
  readonly month: string;
  readonly change: VolumeChange;
  readonly price: PriceRow;
}

/** The writes of a debit, and the warnings that it raises. */
export interface DebitWrites {
  readonly wallet: WriteOp;
  readonly volume?: WriteOp | undefined;
  readonly events: readonly DomainEvent[];
}

/**
 * What became of a debit that was not made. `moved`: choose a lane and price it again; with `root` at the wallet's own row. `again`: the same
 * may succeed now.
 */
export type DebitFailure =
  | { readonly kind: 'insufficient'; readonly balance: number }
  | { readonly kind: 'volume_changed'; readonly volume: MonthVolume }
  | { readonly kind: 'moved'; readonly root?: boolean }
  | { readonly kind: 'again' };

/** A meeting at the wallet's own row is no reason for lanes until it happens again. */
const STRIKES_TO_OPEN = 2;
const STRIKES_FOR_MORE = 3;
/** Longest wait after a meeting, in ms, by how many there were; with full jitter. */
const waitMs = (strikes: number): number => Math.min(15 * strikes, 150);

/** The lane of the next debit, and the volume that it is priced at where the lane has a part of the month of its own. */
export interface Account {
  readonly lane: number;
  readonly volume?: MonthVolume | undefined;
}

/** Chooses the lane of a debit. Reads a lane that this process never saw; otherwise nothing. */
export const chooseAccount = async (
  table: Table,
  organizationId: Id<'organization'>,
  of?: { readonly channel: Channel; readonly month: string },
): Promise<Account> => {
  const seen = seenWallet(table, organizationId);
  const lane = chooseLane(seen);
  if (lane === 0) return { lane };
  const state =
    seen.lanes.get(lane) ??
    rememberLane(table, organizationId, lane, await table.get(KEYS.walletLane(organizationId, lane)));
  if (!of) return { lane };
  const hasMonth = state?.window === windowName(of.channel, of.month);
  return { lane, volume: hasMonth ? { taken: state.segments, free: state.free } : NO_VOLUME };
};

/** A debit of nothing is never refused, and warns of nothing. */
const FREE: DebitPlan = { when: EXISTS, events: [] };
const NO_LANE: Pick<LaneState, 'end'> = { end: 0 };

/** The writes of a debit, as the wallet was last seen. */
export const debitWrites = (table: Table, debit: Debit): DebitWrites => {
  const { organizationId, lane, coins, add, volume, back } = debit;
  if (lane > 0) {
    const state = seenWallet(table, organizationId).lanes.get(lane) ?? NO_LANE;
    return { wallet: laneWrite(organizationId, lane, state, { coins, add, volume }), events: [] };
  }
  const plan = coins === 0 ? FREE : planDebit(guessWallet(table, organizationId), coins, debit);
  return {
    wallet: debitWrite(organizationId, plan, { balance: -coins, ...add }),
    volume: volume && volumeWrite(organizationId, volume.channel, volume.month, volume.change, back),
    events: plan.events,
  };
};

const demandOf = ({ coins, sends, volume }: Debit): LaneDemand => ({
  coins,
  sends,
  units: volume ? volume.change.units + volume.change.reused.reduce((sum, { units }) => sum + units, 0) : 0,
  volume,
});

/** Counts a debit's meeting with another transaction; opens more lanes where they meet again and again. */
const meet = async (table: Table, debit: Debit): Promise<DebitFailure> => {
  const { organizationId, lane } = debit;
  const seen = seenWallet(table, organizationId);
  seen.strikes += 1;
  seen.favourite = 0;
  const { strikes } = seen;
  if (strikes >= (lane === 0 ? STRIKES_TO_OPEN : STRIKES_FOR_MORE)) {
    seen.strikes = 0;
    await openLanes(table, organizationId, demandOf(debit), debit.now);
  } else if (lane === 0) {
    const row = await table.get(KEYS.wallet(organizationId));
    if (row) rememberWallet(table, organizationId, row);
  }
  await pause(Math.random() * waitMs(strikes));
  return seen.wallet?.lanes === 0 ? { kind: 'again' } : { kind: 'moved' };
};

/** A debit that its lane refused: leases what it lacked there. */
const refused = async (table: Table, debit: Debit, { row }: CancelReason): Promise<DebitFailure> => {
  const { organizationId, lane } = debit;
  const state = rememberLane(table, organizationId, lane, row);
  if (state && suffices(state, demandOf(debit))) return { kind: 'moved' };
  const next = await refillLane(table, organizationId, lane, demandOf(debit));
  return next === 'root' ? { kind: 'moved', root: true } : { kind: 'moved' };
};

/** Whether all that the lanes have is in the wallet's row; takes it back if not. Only then does the row decide that there is too little. */
const isWhole = async (table: Table, organizationId: Id<'organization'>): Promise<boolean> =>
  (seenWallet(table, organizationId).wallet?.opened ?? 0) === 0 || !(await recallAll(table, organizationId));

/** Why the conditions of a debit failed, by the reasons of its writes. */
export const debitFailure = async (
  table: Table,
  debit: Debit,
  { wallet, volume }: { readonly wallet?: CancelReason | undefined; readonly volume?: CancelReason | undefined },
): Promise<DebitFailure> => {
  const { organizationId, lane, coins } = debit;
  if (wallet?.conditionFailed) {
    if (lane > 0) return refused(table, debit, wallet);
    if (!wallet.row) return { kind: 'insufficient', balance: 0 };
    const { balance } = rememberWallet(table, organizationId, wallet.row);
    if (balance < coins)
      return (await isWhole(table, organizationId)) ? { kind: 'insufficient', balance } : { kind: 'again' };
  }
  if (volume?.conditionFailed) return { kind: 'volume_changed', volume: volumeOf(volume.row) };
  return { kind: 'again' };
};

/**
 * Makes a debit's transaction once: `write` names its operations, `at` tells where among them those of the debit are. A debit that raises a
 * warning waits until all coins are in the wallet's row.
 */
export const tryDebit = async (
  table: Table,
  debit: Debit,
  write: (writes: DebitWrites) => readonly { readonly part: string; readonly write: WriteOp }[],
  { reportConflicts = true } = {},
): Promise<
  | { readonly kind: 'made'; readonly events: readonly DomainEvent[] }
  | { readonly kind: 'failed'; readonly reasons: readonly CancelReason[] }
  | DebitFailure
> => {
  const { organizationId, lane } = debit;
  const writes = debitWrites(table, debit);
  if (writes.events.length > 0 && !(await isWhole(table, organizationId))) return { kind: 'again' };
  const named = write(writes);
  const seen = seenWallet(table, organizationId);
  seen.underWay += 1;
  let outcome: TransactOutcome;
  try {
    outcome = await table.transact(
      named.map((one) => one.write),
      { reportConflicts },
    );
  } finally {
    seen.underWay -= 1;
  }
  if (outcome.ok) {
    seen.strikes = 0;
    seen.favourite = lane;
    return { kind: 'made', events: writes.events };
  }
  const isOwn = (at: number) => named[at]?.part === 'wallet' || named[at]?.part === 'volume';
  if (outcome.met) return outcome.met.some(isOwn) ? meet(table, debit) : { kind: 'again' };
  return { kind: 'failed', reasons: outcome.reasons };
};
