import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { mergeNewest, type Source } from '../client/merge-newest.ts';
import type { Row } from '../client/row.ts';
import type { QueryPage, Table } from '../client/table.ts';
import { type Entry, entriesIn, isEntry } from './entries.ts';
import { lanesUpTo, readWhole, sumWallet } from './read-wallet.ts';
import { walletRows } from './wallet-row.ts';

export interface LedgerLine extends Omit<Entry, 'held'> {
  readonly balanceCoins: number;
  readonly heldCoins: number;
}
/** Where the next page of the ledger begins: the last entry's place, the sums before it, and the highest lane that has entries. */
export interface LedgerPosition {
  readonly sk: string;
  readonly balance: number;
  readonly held: number;
  readonly ledgers: number;
}

/** Maximum rows of a partition besides its entries: the wallet or lane, and its captures. */
const MAX_FIGURES = 9;
/** Entries read from a partition beyond its even share of a page. */
const BEYOND_SHARE = 4;

/** The rows with entries of a partition up to a sort key, newest first; on the first page also the balance rows, which sort before them. */
const ledgerRows = (table: Table, partition: string, count: number, before: string | undefined): Source<Row> => {
  let startKey: QueryPage['nextKey'];
  let isDone = false;
  const sort = before ? { text: '#sk BETWEEN :first AND :after', values: { first: 'E#', after: before } } : undefined;
  return async () => {
    if (isDone) return undefined;
    const limit = count + (startKey || before ? 1 : MAX_FIGURES);
    const { rows, nextKey } = await table.query({
      partition,
      sort,
      newestFirst: true,
      limit,
      consistent: true,
      startKey,
    });
    startKey = nextKey;
    isDone = nextKey === undefined;
    return rows;
  };
};

/** An entry with its place in the order of all: the key of its row, and its place in the row. */
interface PlacedEntry {
  readonly place: string;
  readonly entry: Entry;
}
/** The entries of a row, newest first. */
const placedIn = (row: Row): PlacedEntry[] =>
  entriesIn(row)
    .map((entry, at) => ({ place: `${row.sk}#${String(at).padStart(3, '0')}`, entry }))
    .reverse();

/** The newest `wanted` entries of the wallet and its lanes, before a sort key; without one also all balance rows. */
const newestEntries = async (
  table: Table,
  organizationId: Id<'organization'>,
  wanted: number,
  { ledgers = 0, sk }: Partial<LedgerPosition>,
) => {
  const figures: Row[] = [];
  const share = ledgers === 0 ? wanted : Math.ceil(wanted / (ledgers + 1)) + BEYOND_SHARE;
  const sources = [0, ...lanesUpTo(ledgers)].map((lane): Source<PlacedEntry> => {
    const next = ledgerRows(table, KEYS.walletLane(organizationId, lane).pk, share, sk);
    return async () => {
      const rows = await next();
      figures.push(...(rows ?? []).filter((row) => !isEntry(row)));
      return rows
        ?.filter(isEntry)
        .flatMap(placedIn)
        .filter(({ place }) => sk === undefined || place < sk);
    };
  });
  const entries = await mergeNewest(sources, ({ place }) => place, 0, wanted);
  return { entries, figures };
};

/** The newest entries, with the balance after the last of them. One query while no lane has entries. */
const newestLedger = (table: Table, organizationId: Id<'organization'>, wanted: number) =>
  readWhole(table, organizationId, async () => {
    let found = await newestEntries(table, organizationId, wanted, {});
    const wallet = found.figures.find(({ sk }) => sk === 'W');
    if (!wallet) return { wallet, result: undefined };
    const { ledgers } = walletRows.read(wallet);
    if (ledgers > 0) found = await newestEntries(table, organizationId, wanted, { ledgers });
    const own = KEYS.wallet(organizationId).pk;
    const root = found.figures.find(({ pk, sk }) => pk === own && sk === 'W') ?? wallet;
    const others = found.figures.filter((row) => row !== root);
    return { wallet: root, result: { ...found, ledgers, ...sumWallet(root, others) } };
  });

/**
 * A page of the ledger, newest first, each entry with the balance after it: computed backwards from the wallet's balance, which the same
 * queries read. Later pages continue from the previous one's position. One query, and one for each lane that ever had entries.
 */
export const readLedger = async (
  table: Table,
  organizationId: Id<'organization'>,
  limit: number,
  from?: LedgerPosition,
): Promise<{ lines: LedgerLine[]; next?: LedgerPosition }> => {
  const start = from
    ? { ...from, ...(await newestEntries(table, organizationId, limit + 1, from)) }
    : await newestLedger(table, organizationId, limit + 1);
  if (!start) return { lines: [] };
  const { entries, ledgers } = start;
  let { balance, held }: { balance: number; held: number } = start;
  const lines = entries.slice(0, limit).map(({ entry: { held: moved, ...entry } }): LedgerLine => {
    const line = { ...entry, balanceCoins: balance, heldCoins: held };
    balance -= entry.coins;
    held -= moved;
    return line;
  });
  const last = entries[limit - 1];
  return entries.length > limit && last ? { lines, next: { sk: last.place, balance, held, ledgers } } : { lines };
};
