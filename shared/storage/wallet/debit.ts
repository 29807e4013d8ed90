import type { Tenant } from '../../domain/core/actor.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Coins } from '../../domain/core/money.ts';
import { pause } from '../../domain/core/pause.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { PriceRow } from '../../domain/pricing/prices.ts';
import {
  isPricedAt,
  type MonthVolume,
  NO_VOLUME,
  type Positions,
  type VolumeChange,
} from '../../domain/pricing/volume.ts';
import { KEYS } from '../access-patterns.ts';
import { EXISTS } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { CancelReason, Table, TransactOutcome } from '../client/table.ts';
import { chooseLane, guessWallet, rememberLane, rememberWallet, seenWallet } from './lane-cache.ts';
import { type LaneState, laneWrite, windowName } from './lane-rows.ts';
import { type LaneDemand, openLanes, refillLane, suffices } from './lanes.ts';
import { recallAll } from './recall.ts';
import { isAsPriced, monthNames, pastNames, takenUnits, volumeOf } from './volumes.ts';
import { type DebitPlan, debitWrite, planDebit } from './wallet.ts';

/** A debit of a wallet, at the wallet's own row (lane 0) or at a lane. */
export interface Debit extends Tenant {
  readonly lane: number;
  readonly coins: Coins;
  /** Counters to increase, and the coins that are held. */
  readonly add: Readonly<Record<string, number>>;
  /** The number of messages that it pays for. */
  readonly sends: number;
  /** Live only: its change of the channel's month. `back`: positions that the same transaction returns. */
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
  readonly events: readonly DomainEvent[];
}

/**
 * The result of a failed debit. `moved`: choose a lane and price again; with `root` at the wallet's own row. `again`: the same may succeed
 * now; with `wait` only once conflicting transactions on rows outside of lanes end.
 */
export type DebitFailure =
  | { readonly kind: 'insufficient'; readonly balance: number }
  | { readonly kind: 'volume_changed'; readonly volume: MonthVolume }
  | { readonly kind: 'moved'; readonly root?: boolean }
  | { readonly kind: 'again'; readonly wait?: boolean };

/** A single conflict on the wallet's own row does not open lanes; repeated ones do. */
const STRIKES_TO_OPEN = 2;
const STRIKES_FOR_MORE = 3;
/** Longest wait after a conflict, in ms, by their number; with full jitter. */
const waitMs = (strikes: number): number => Math.min(15 * strikes, 150);

/** The lane of the next debit, and the volume to price it at if the lane has its own part of the month. */
export interface DebitLane {
  readonly lane: number;
  readonly volume?: MonthVolume | undefined;
}

/** Chooses the lane of a debit. Reads only lanes that this process has not seen yet. */
export const chooseDebitLane = async (
  table: Table,
  organizationId: Id<'organization'>,
  of?: { readonly channel: Channel; readonly month: string },
): Promise<DebitLane> => {
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

/** A free debit is never refused, and raises no warnings. */
const FREE: DebitPlan = { when: EXISTS, events: [] };
const NO_LANE: Pick<LaneState, 'end'> = { end: 0 };

/** The writes of a debit, based on the wallet's last known state. */
export const debitWrites = (table: Table, debit: Debit): DebitWrites => {
  const { organizationId, lane, coins, add, volume, back } = debit;
  if (lane > 0) {
    const state = seenWallet(table, organizationId).lanes.get(lane) ?? NO_LANE;
    return { wallet: laneWrite(organizationId, lane, state, { coins, add, volume }), events: [] };
  }
  const plan = coins === 0 ? FREE : planDebit(guessWallet(table, organizationId), coins, debit);
  const names = volume && monthNames(volume.channel, volume.month);
  const taken = volume && names && takenUnits(volume.change, names, back);
  const added = { balance: -coins, ...add, ...taken };
  const isPriced = volume && names && isAsPriced(volume.change, names);
  const { row } = seenWallet(table, organizationId);
  const past = row && volume ? pastNames(row, volume.month).filter((name) => !(name in added)) : [];
  return { wallet: debitWrite(organizationId, plan, added, isPriced, past), events: plan.events };
};

const demandOf = ({ coins, sends, volume }: Debit): LaneDemand => ({
  coins,
  sends,
  units: volume ? volume.change.units + volume.change.reused.reduce((sum, { units }) => sum + units, 0) : 0,
  volume,
});

/** Counts a debit's conflict with another transaction; opens more lanes after repeated ones. */
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

/** Handles a debit that its lane refused: leases what was lacking. */
const refused = async (table: Table, debit: Debit, { row }: CancelReason): Promise<DebitFailure> => {
  const { organizationId, lane } = debit;
  const state = rememberLane(table, organizationId, lane, row);
  if (state && suffices(state, demandOf(debit))) return { kind: 'moved' };
  const next = await refillLane(table, organizationId, lane, demandOf(debit));
  return next === 'root' ? { kind: 'moved', root: true } : { kind: 'moved' };
};

/** Whether the wallet's row has all coins of the lanes; recalls them if not. Only then does the row decide that there are too few. */
const isWhole = async (table: Table, organizationId: Id<'organization'>): Promise<boolean> =>
  (seenWallet(table, organizationId).wallet?.opened ?? 0) === 0 || !(await recallAll(table, organizationId));

/** Why the condition of a debit failed, by the reason of its write to the wallet or the lane. */
export const debitFailure = async (
  table: Table,
  debit: Debit,
  wallet: CancelReason | undefined,
): Promise<DebitFailure> => {
  const { organizationId, lane, coins, volume } = debit;
  if (!wallet?.conditionFailed) return { kind: 'again' };
  if (lane > 0) return refused(table, debit, wallet);
  if (!wallet.row) return { kind: 'insufficient', balance: 0 };
  const { balance } = rememberWallet(table, organizationId, wallet.row);
  // A price from another volume may be affordable once it is recomputed at this one.
  const now = volume && volumeOf(wallet.row, monthNames(volume.channel, volume.month));
  if (now && !isPricedAt(now, volume.change)) return { kind: 'volume_changed', volume: now };
  if (balance >= coins) return { kind: 'again' };
  return (await isWhole(table, organizationId)) ? { kind: 'insufficient', balance } : { kind: 'again' };
};

/** An operation of a debit's transaction, with its role; the debit's own is `wallet`. */
interface Named {
  readonly part: string;
  readonly write: WriteOp;
}
/** A successful debit, with the warnings that it raised. */
interface Made {
  readonly kind: 'made';
  readonly events: readonly DomainEvent[];
}
type Attempt = Made | { readonly kind: 'failed'; readonly reasons: readonly CancelReason[] } | DebitFailure;

/** Operations that depend on the lane: the debit, its ledger entry, and the lists that show its message. */
const OWN_PARTS = new Set(['wallet', 'entry', 'message']);

interface Tried<Part> {
  readonly attempt: Attempt;
  readonly named: readonly Part[];
}

/** Attempts a debit's transaction once. One that raises a warning waits until all coins are in the wallet's row. */
const tryDebit = async <Part extends Named>(
  table: Table,
  debit: Debit,
  write: (own: DebitWrites) => readonly Part[],
  reportConflicts: boolean,
): Promise<Tried<Part>> => {
  const { organizationId, lane } = debit;
  const own = debitWrites(table, debit);
  const named = write(own);
  if (own.events.length > 0 && !(await isWhole(table, organizationId))) return { attempt: { kind: 'again' }, named };
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
    return { attempt: { kind: 'made', events: own.events }, named };
  }
  if (!outcome.met) return { attempt: { kind: 'failed', reasons: outcome.reasons }, named };
  const isOwn = (at: number) => OWN_PARTS.has(named[at]?.part ?? '');
  // Another lane does not help on conflicts elsewhere, such as on the record of one key.
  return { attempt: outcome.met.every(isOwn) ? await meet(table, debit) : { kind: 'again', wait: true }, named };
};

/** Attempts of a debit on a changing wallet; each costs one round trip and reads the wallet's new state. */
const MAX_ATTEMPTS = 12;
/** Attempts after which conflicts with other transactions are waited for instead of opening more lanes. */
const MAX_MEETINGS = 6;

/**
 * Makes a debit with all related writes, in one transaction. `write` names its operations; `failureOf` explains failed conditions, using
 * `debitFailure` for the debit's own. Throws `Unavailable` if the wallet changes too often.
 */
export const makeDebit = async <Part extends Named, Failure extends { readonly kind: string }>(
  table: Table,
  debit: Debit,
  write: (own: DebitWrites) => readonly Part[],
  failureOf: (named: readonly Part[], reasons: readonly CancelReason[]) => Promise<Failure | DebitFailure>,
): Promise<Made | Exclude<Failure | DebitFailure, { readonly kind: 'again' }>> => {
  let waits = false;
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const { attempt, named }: Tried<Part> = await tryDebit(table, debit, write, turn < MAX_MEETINGS && !waits);
    const outcome: Made | Failure | DebitFailure =
      attempt.kind === 'failed' ? await failureOf(named, attempt.reasons) : attempt;
    if (!isAgain(outcome)) return outcome as Made | Exclude<Failure | DebitFailure, { readonly kind: 'again' }>;
    waits ||= outcome.wait === true;
  }
  throw new Unavailable('The wallet changes too often to be debited.');
};

const isAgain = (outcome: { readonly kind: string }): outcome is Extract<DebitFailure, { kind: 'again' }> =>
  outcome.kind === 'again';

/** Busy or empty lanes that a debit without positions tries before it gives up. */
const MAX_LANES_TRIED = 24;

/** Makes a debit that takes no positions, in any lane with enough coins; `make` makes it there. */
export const inAnyLane = async <Outcome extends { readonly kind: string }>(
  table: Table,
  organizationId: Id<'organization'>,
  make: (lane: number) => Promise<Outcome>,
): Promise<Exclude<Outcome, { kind: 'moved' }>> => {
  for (let tried = 0; tried < MAX_LANES_TRIED; tried++) {
    const { lane } = await chooseDebitLane(table, organizationId);
    const outcome = await make(lane);
    if (outcome.kind !== 'moved') return outcome as Exclude<Outcome, { kind: 'moved' }>;
  }
  throw new Unavailable('The lanes of the wallet are too busy.');
};
