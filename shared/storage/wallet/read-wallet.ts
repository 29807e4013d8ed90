import * as z from 'zod';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { asCoins, type Coins } from '../../domain/core/money.ts';
import { KEYS } from '../access-patterns.ts';
import type { Row } from '../client/row.ts';
import { sharedRead } from '../client/shared-read.ts';
import type { Table } from '../client/table.ts';
import { COUNTERS, laneRows, type StoredWallet, walletRows } from './wallet-row.ts';

/** A wallet's totals over all of its rows: spendable and held coins, its settings and counters. */
export interface WalletFigures {
  readonly wallet: StoredWallet;
  readonly balance: Coins;
  readonly held: number;
}

/** Attempts to read several rows without a concurrent fold of one into another. */
const MAX_ATTEMPTS = 10;

const isCapture = ({ sk }: Row): boolean => sk.startsWith('S#');
const capturedOf = (row: Row): number => z.int().parse(row.captured);

/** Combines the rows of a wallet and its lanes: `wallet` is the wallet's own, `others` the lanes' and all rows of captures. */
export const sumWallet = (wallet: Row, others: readonly Row[]): WalletFigures => {
  const own = walletRows.read(wallet);
  const lanes = others.filter((row) => !isCapture(row)).map(laneRows.read);
  const captured = others.filter(isCapture).reduce((sum, row) => sum + capturedOf(row), 0);
  const sumOf = (of: (row: (typeof lanes)[number] | StoredWallet) => number) =>
    lanes.reduce((sum, lane) => sum + of(lane), of(own));
  const counts = Object.fromEntries(COUNTERS.map((name) => [name, sumOf((row) => row[name])]));
  const balance = asCoins(sumOf((row) => row.balance + row.leased));
  return { wallet: { ...own, ...counts }, balance, held: sumOf(({ held }) => held) - captured };
};

/** The numbers of the lanes up to one. */
export const lanesUpTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);

/** The keys of a lane's balance rows. */
const figureKeys = (organizationId: Id<'organization'>, lane: number) => [
  KEYS.walletLane(organizationId, lane),
  KEYS.captured(organizationId, lane, 0),
];

/**
 * Reads rows of a wallet and its lanes by `read`, which receives the wallet's row, until no lane was folded meanwhile, so that each coin is
 * counted once. Reads nothing twice if no lane is open.
 */
export const readWhole = async <T>(
  table: Table,
  organizationId: Id<'organization'>,
  read: () => Promise<{ readonly wallet: Row | undefined; readonly result: T }>,
): Promise<T> => {
  for (let turn = 0; turn < MAX_ATTEMPTS; turn++) {
    const { wallet, result } = await read();
    if (!wallet || walletRows.read(wallet).opened === 0) return result;
    const after = await table.get(KEYS.wallet(organizationId));
    if (after?.folds === wallet.folds) return result;
  }
  throw new Unavailable('The lanes of the wallet change too often to be read.');
};

/**
 * The wallet's balance and holds; undefined if there is none. One query of at most nine rows while no lane is open; with lanes two more
 * round trips, and two rows per lane. Shared by concurrent callers.
 */
export const readWallet = (table: Table, organizationId: Id<'organization'>): Promise<WalletFigures | undefined> =>
  sharedRead(table, KEYS.wallet(organizationId).pk, () => readWalletNow(table, organizationId));

const readWalletNow = (table: Table, organizationId: Id<'organization'>): Promise<WalletFigures | undefined> =>
  readWhole(table, organizationId, async () => {
    const { rows } = await table.query({
      partition: KEYS.wallet(organizationId).pk,
      sort: { text: '#sk >= :first', values: { first: 'S#' } },
      consistent: true,
    });
    const wallet = rows.find(({ sk }) => sk === 'W');
    if (!wallet) return { wallet, result: undefined };
    const { opened } = walletRows.read(wallet);
    const lanes = await readFigures(table, organizationId, opened);
    return { wallet, result: sumWallet(wallet, [...rows.filter(isCapture), ...lanes]) };
  });

/** The rows of all lanes up to one. Two round trips for 64 lanes. */
const readFigures = async (table: Table, organizationId: Id<'organization'>, opened: number): Promise<Row[]> => {
  if (opened === 0) return [];
  const keys = lanesUpTo(opened).flatMap((lane) => figureKeys(organizationId, lane));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.filter((row) => row !== undefined);
};
