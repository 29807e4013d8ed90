import type { Id } from '../../domain/core/ids.ts';
import { asCoins } from '../../domain/core/money.ts';
import { DEFAULT_LOW_BALANCE, WARNING_LEVEL, type WalletState } from '../../domain/wallet/wallet.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { type LaneState, readLane } from './lane-rows.ts';
import { type StoredWallet, walletRows } from './wallet-row.ts';

/**
 * This process's last view of an organization's wallet: estimates that conditions verify. Lanes are chosen from it, so that processes
 * without conflicts each keep to one lane.
 */
export interface SeenWallet {
  wallet?: StoredWallet;
  /** The wallet's row as it was read, with its months. */
  row?: Row;
  readonly lanes: Map<number, LaneState>;
  /** The lane that served the last debit. */
  favourite: number;
  /** Debits of this process in progress. */
  underWay: number;
  /** Conflicts with other transactions since a debit last succeeded. */
  strikes: number;
}

const MAX_SEEN = 10_000;
const seen = new WeakMap<Table, Map<string, SeenWallet>>();

/** This process's view of a wallet; the same object until the cache is full. */
export const seenWallet = (table: Table, organizationId: Id<'organization'>): SeenWallet => {
  const wallets = seen.get(table) ?? new Map<string, SeenWallet>();
  seen.set(table, wallets);
  const found = wallets.get(organizationId);
  if (found) return found;
  if (wallets.size >= MAX_SEEN) wallets.clear();
  const fresh: SeenWallet = { lanes: new Map(), favourite: 0, underWay: 0, strikes: 0 };
  wallets.set(organizationId, fresh);
  return fresh;
};

/** Caches a wallet's own row. */
export const rememberWallet = (table: Table, organizationId: Id<'organization'>, row: Row): StoredWallet => {
  const wallet = walletRows.read(row);
  Object.assign(seenWallet(table, organizationId), { wallet, row });
  return wallet;
};

/** Caches a lane's row; removes the lane if there is none. */
export const rememberLane = (
  table: Table,
  organizationId: Id<'organization'>,
  lane: number,
  row: Row | undefined,
): LaneState | undefined => {
  const { lanes } = seenWallet(table, organizationId);
  if (!row) lanes.delete(lane);
  else lanes.set(lane, readLane(row));
  return lanes.get(lane);
};

/** The lane of the next debit, 0 while none is open: the one that served the last, unless it is serving another debit of this process. */
export const chooseLane = ({ wallet, favourite, underWay }: SeenWallet): number => {
  const lanes = wallet?.lanes ?? 0;
  if (lanes === 0) return 0;
  return favourite > 0 && favourite <= lanes && underWay === 0 ? favourite : 1 + Math.floor(Math.random() * lanes);
};

/** The last seen state of a wallet: an estimate for the first attempt of a debit. */
export const guessWallet = (table: Table, organizationId: Id<'organization'>): WalletState =>
  seenWallet(table, organizationId).wallet ?? {
    balance: asCoins(Number.MAX_SAFE_INTEGER),
    low: DEFAULT_LOW_BALANCE,
    warned: WARNING_LEVEL.nothing,
  };
