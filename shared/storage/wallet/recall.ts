import type { Id } from '../../domain/core/ids.ts';
import { unusedPositions } from '../../domain/pricing/windows.ts';
import { LANE_CHECK_MS, lanesFor } from '../../domain/wallet/lanes.ts';
import { KEYS } from '../access-patterns.ts';
import { all, isStill } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { rememberLane, rememberWallet } from './lane-cache.ts';
import { type LaneState, positionNames, readLane, windowOf } from './lane-rows.ts';
import { lanesUpTo } from './read-wallet.ts';
import { type Freed, freedUnits, sumFreed } from './volumes.ts';
import { COUNTERS, countOf, laneRows, type StoredWallet, walletRows } from './wallet-row.ts';

/** Returns coins and positions from lanes to their wallet (docs/spec/wallet.md#lanes). lanes.ts leases them. */

type Org = Id<'organization'>;
/** Lanes whose coins are recalled in one transaction, and retries for one that changed meanwhile. */
const TOGETHER = 16;
const MAX_ATTEMPTS = 8;

/** Changes the number of lanes that debits may use; no effect if it changed since it was read. */
export const setLanes = async (table: Table, organizationId: Org, from: number, to: number): Promise<void> => {
  const update = KEYS.wallet(organizationId);
  const { row } = await table.write({ update, set: walletRows.set({ lanes: to }), when: isStill('lanes', from) });
  if (row) rememberWallet(table, organizationId, row);
};

const readLanes = async (table: Table, organizationId: Org, lanes: readonly number[]) => {
  const rows = await table.getMany(
    lanes.map((lane) => KEYS.walletLane(organizationId, lane)),
    { consistent: true },
  );
  return lanes.flatMap((lane, at) => {
    const state = rememberLane(table, organizationId, lane, rows[at]);
    return state ? [{ lane, state }] : [];
  });
};

/** Recalls coins of lanes, all or none. Concurrent debits may continue: only what they left is recalled. */
const takeBack = async (
  table: Table,
  organizationId: Org,
  lanes: readonly { readonly lane: number; readonly state: LaneState }[],
): Promise<boolean> => {
  const sum = lanes.reduce((coins, { state }) => coins + state.balance, 0);
  const outcome = await table.transact([
    { update: KEYS.wallet(organizationId), add: { balance: sum, leased: -sum } },
    ...lanes.map(
      ({ lane, state: { balance } }): WriteOp => ({
        update: KEYS.walletLane(organizationId, lane),
        add: { balance: -balance, leased: balance },
        when: { text: '#balance >= :balance', values: { balance } },
      }),
    ),
  ]);
  return outcome.ok;
};

/**
 * Recalls the coins of every lane above `keep`. True if there were any. Only once it returns false with no lane open does the wallet have
 * all coins.
 */
export const recallCoins = async (table: Table, organizationId: Org, keep = 0): Promise<boolean> => {
  const row = await table.get(KEYS.wallet(organizationId));
  if (!row) return false;
  const { opened } = rememberWallet(table, organizationId, row);
  let waiting = lanesUpTo(opened).filter((lane) => lane > keep);
  let found = false;
  for (let turn = 0; turn < MAX_ATTEMPTS && waiting.length > 0; turn++) {
    const full = (await readLanes(table, organizationId, waiting)).filter(({ state }) => state.balance > 0);
    found ||= full.length > 0;
    waiting = [];
    for (let at = 0; at < full.length; at += TOGETHER) {
      const some = full.slice(at, at + TOGETHER);
      if (!(await takeBack(table, organizationId, some))) waiting.push(...some.map(({ lane }) => lane));
    }
  }
  return found;
};

/**
 * Closes all lanes and recalls their coins, so that the wallet's row has all of them. False if it already did: then it decides on a debit
 * that it can't pay, or that crosses a warning level.
 */
export const recallAll = async (table: Table, organizationId: Org): Promise<boolean> => {
  const row = await table.get(KEYS.wallet(organizationId));
  const { lanes = 0, opened = 0 } = row ? rememberWallet(table, organizationId, row) : {};
  if (opened === 0) return false;
  if (lanes > 0) await setLanes(table, organizationId, lanes, 0);
  const found = await recallCoins(table, organizationId);
  return found || lanes > 0;
};

/** Everything that a lane has besides coins, as returned units. */
const unitsOf = (state: LaneState, edges: readonly number[]): Freed => {
  const { window, segments, end, free, freed } = state;
  if (window === '') return freed;
  const { channel, month } = windowOf(window);
  const positions = unusedPositions(edges, { taken: segments, end, free });
  return sumFreed([freed, freedUnits(channel, { month, positions })]);
};

/** Condition: no position of the lane was taken or returned since it was read. */
const hasPositionsOf = (state: LaneState): Condition =>
  all(
    isStill('segments', state.segments),
    isStill('end', state.end),
    ...state.free.map(({ from, units }) => isStill(`free${from}`, units)),
    ...Object.entries(state.freed).map(([name, units]) => isStill(name, units)),
  );

/**
 * Returns all coins and positions of a lane. Positions return to their month, whose sends take them first. False if the lane changed
 * meanwhile: it is in use.
 */
export const returnLane = async (
  table: Table,
  organizationId: Org,
  lane: number,
  state: LaneState,
  edges: readonly number[],
): Promise<boolean> => {
  const { balance, end, window } = state;
  const units = unitsOf(state, edges);
  const isEmpty = balance === 0 && Object.keys(units).length === 0;
  if (isEmpty && window === '') return true;
  const { ok } = await table.transact([
    ...(isEmpty ? [] : [{ update: KEYS.wallet(organizationId), add: { balance, leased: -balance, ...units } }]),
    {
      update: KEYS.walletLane(organizationId, lane),
      set: laneRows.set({ window: '', segments: end }),
      add: { balance: -balance, leased: balance },
      remove: positionNames(state),
      when: all({ text: '#balance >= :balance', values: { balance } }, hasPositionsOf(state)),
    },
  ]);
  if (ok) rememberLane(table, organizationId, lane, undefined);
  return ok;
};

/** Condition: a lane's balance rows are unchanged since they were read. */
const hasFiguresOf = (state: LaneState): Condition =>
  all(
    isStill('balance', state.balance),
    isStill('held', state.held),
    isStill('leased', state.leased),
    hasPositionsOf(state),
    ...COUNTERS.map((name) => isStill(name, state[name])),
  );

/**
 * Adds the totals of the highest lane to the wallet's and deletes its rows; its ledger entries stay. Only once every hold of the lane is
 * resolved, since nothing will be written there. False otherwise.
 */
const foldLane = async (table: Table, organizationId: Org, lane: number): Promise<boolean> => {
  const keys = [KEYS.walletLane(organizationId, lane), KEYS.captured(organizationId, lane, 0)] as const;
  const [row, captures] = await table.getMany(keys, { consistent: true });
  const state = row && readLane(row);
  const captured = Number(captures?.captured ?? 0);
  if (
    state &&
    (state.held !== captured || state.balance !== 0 || positionNames(state).length > 0 || state.end !== state.segments)
  )
    return false;
  const counts = state ? Object.fromEntries(COUNTERS.map((name) => [name, state[name]])) : {};
  const { ok } = await table.transact([
    {
      update: KEYS.wallet(organizationId),
      set: walletRows.set({ opened: lane - 1 }),
      add: { folds: 1, leased: state?.leased ?? 0, ...counts },
      when: all({ text: '#opened = :opened AND #lanes < :opened', values: { opened: lane } }),
    },
    ...(state ? [{ delete: keys[0], when: hasFiguresOf(state) } satisfies WriteOp] : []),
    ...(captures ? [{ delete: keys[1], when: isStill('captured', captured) } satisfies WriteOp] : []),
  ]);
  return ok;
};

/** The number of messages that the wallet and its lanes count. */
const totalOf = (wallet: StoredWallet, lanes: readonly { readonly state: LaneState }[]): number =>
  lanes.reduce((sum, { state }) => sum + countOf(state), countOf(wallet));

/**
 * Adjusts the number of lanes to the traffic since the last check: closes unneeded ones, returns their coins and positions, and removes
 * them once they are settled. Due again while there are any. Safe at any time and in any number of processes.
 */
export const checkLanes = async (
  table: Table,
  organizationId: Org,
  edges: readonly number[],
  now: number,
): Promise<void> => {
  const row = await table.get(KEYS.wallet(organizationId));
  if (!row) return;
  const wallet = rememberWallet(table, organizationId, row);
  const lanes = await readLanes(table, organizationId, lanesUpTo(wallet.opened));
  const total = totalOf(wallet, lanes);
  const seconds = Math.max(1, (now - wallet.checkedAt) / 1000);
  const next = lanesFor(wallet.lanes, (total - wallet.checkedCount) / seconds);
  const { ok } = await table.write({
    update: KEYS.wallet(organizationId),
    set: {
      ...walletRows.set({ lanes: next, checkedAt: now, checkedCount: total }),
      ...INDEX_KEYS.due('check_lanes', organizationId, now + LANE_CHECK_MS),
    },
    when: all(isStill('lanes', wallet.lanes), isStill('checkedAt', wallet.checkedAt)),
  });
  if (!ok) return;
  for (const { lane, state } of lanes.filter(({ lane }) => lane > next))
    await returnLane(table, organizationId, lane, state, edges);
  let opened = wallet.opened;
  while (opened > next && (await foldLane(table, organizationId, opened))) opened -= 1;
  if (opened === 0)
    await table.write({
      update: KEYS.wallet(organizationId),
      remove: ['duePk', 'dueAt'],
      when: all(isStill('opened', 0), isStill('checkedAt', now)),
    });
};
