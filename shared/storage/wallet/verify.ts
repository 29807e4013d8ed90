import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import type { Row } from '../client/row.ts';
import type { QueryPage, Table } from '../client/table.ts';
import { type Entry, entriesIn, isEntry } from './entries.ts';
import { lanesUpTo, readWhole, sumWallet, type WalletFigures } from './read-wallet.ts';
import { walletRows } from './wallet-row.ts';

/** A wallet's stored balance and the sums of its entries; `faults` lists violated invariants. */
export interface VerifiedWallet {
  readonly balance: number;
  readonly held: number;
  readonly entries: number;
  /** Messages and batches whose coins are still held. */
  readonly openHolds: number;
  readonly faults: readonly string[];
}

/** How often an inconsistent wallet is read again: a query may see a part of a transaction. */
const MAX_TURNS = 10;

/** The sums of a ledger's entries. */
class Sums {
  coins = 0;
  held = 0;
  entries = 0;
  /** The held coins of each message or batch, without zeros. */
  readonly holds = new Map<string, number>();

  add({ coins, held, batchId, messageId }: Entry): void {
    const owner = batchId ?? messageId;
    this.coins += coins;
    this.held += held;
    this.entries++;
    if (owner === undefined) return;
    const holding = (this.holds.get(owner) ?? 0) + held;
    if (holding === 0) this.holds.delete(owner);
    else this.holds.set(owner, holding);
  }
}

/** All rows of a partition of the wallet: its entries are added to `sum`, the others returned. */
const readPart = async (table: Table, partition: string, sum: Sums): Promise<Row[]> => {
  const own: Row[] = [];
  let startKey: QueryPage['nextKey'];
  do {
    const page = await table.query({ partition, consistent: true, newestFirst: true, startKey });
    for (const row of page.rows)
      if (isEntry(row)) for (const entry of entriesIn(row)) sum.add(entry);
      else own.push(row);
    startKey = page.nextKey;
  } while (startKey);
  return own;
};

/**
 * The balance and the newest entries of a wallet or lane are in the first page of one query, so that they are consistent while it changes;
 * older entries never change.
 */
const verifyOnce = async (table: Table, organizationId: Id<'organization'>): Promise<VerifiedWallet> => {
  const { sum, figures } = await readWhole<{ sum: Sums; figures: WalletFigures | undefined }>(
    table,
    organizationId,
    async () => {
      const sum = new Sums();
      const own = await readPart(table, KEYS.wallet(organizationId).pk, sum);
      const wallet = own.find(({ sk }) => sk === 'W');
      if (!wallet) return { wallet, result: { sum, figures: undefined } };
      const others = own.filter((row) => row !== wallet);
      for (const lane of lanesUpTo(walletRows.read(wallet).ledgers))
        others.push(...(await readPart(table, KEYS.walletLane(organizationId, lane).pk, sum)));
      return { wallet, result: { sum, figures: sumWallet(wallet, others) } };
    },
  );
  const { balance, held } = figures ?? { balance: 0, held: 0 };
  const overdrawn = [...sum.holds].filter(([, holding]) => holding < 0).map(([owner]) => owner);
  const faults = [
    ...(balance === sum.coins ? [] : [`the balance is ${balance}, its entries add up to ${sum.coins}`]),
    ...(held === sum.held ? [] : [`${held} coins are held, by the entries ${sum.held}`]),
    ...(balance < 0 ? ['the balance is negative'] : []),
    ...(held < 0 ? ['the held coins are negative'] : []),
    ...overdrawn.map((owner) => `${owner} gave back or captured more than it held`),
  ];
  return { balance, held, entries: sum.entries, openHolds: sum.holds.size, faults };
};

/**
 * Verifies the money of an organization: the balance and the held coins equal the sums of their entries, neither is negative, and nothing
 * returned more than it held. Reads the whole ledger under traffic; a fault is one that ten consecutive reads find.
 */
export const verifyWallet = async (table: Table, organizationId: Id<'organization'>): Promise<VerifiedWallet> => {
  let verified = await verifyOnce(table, organizationId);
  for (let turn = 1; turn < MAX_TURNS && verified.faults.length > 0; turn++)
    verified = await verifyOnce(table, organizationId);
  return verified;
};
