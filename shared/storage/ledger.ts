import * as z from 'zod';
import { newId } from '../domain/ids.ts';
import { isoTime } from '../domain/time.ts';
import { ENTRY_KINDS, type EntryKind } from '../domain/wallet/wallet.ts';
import { KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';
import type { Row, Table } from './table.ts';
import { parseWallet } from './wallet-row.ts';

let ticks = 0;
/** A sort key that follows time, and within one millisecond of one process the order of the calls. */
const entryOrder = (at: number, id: string): string => {
  ticks = (ticks + 1) % 1_679_616;
  return `${isoTime(at)}#${ticks.toString(36).padStart(4, '0')}#${id}`;
};

/** The ledger line of a movement. `held` is by how much it changes what is held. The balance after it is summed when read. */
export const entryWrite = (entry: {
  organizationId: string;
  kind: EntryKind;
  coins: number;
  held: number;
  at: number;
  messageId?: string;
  batchId?: string;
  description?: string;
}): WriteOp => {
  const id = newId('entry');
  return {
    put: {
      ...KEYS.entry(entry.organizationId, entryOrder(entry.at, id)),
      id,
      kind: entry.kind,
      coins: entry.coins,
      held: entry.held,
      messageId: entry.messageId,
      batchId: entry.batchId,
      description: entry.description,
      createdAt: isoTime(entry.at),
    },
  };
};

const storedEntry = z.object({
  sk: z.string(),
  id: z.string(),
  kind: z.enum(ENTRY_KINDS),
  coins: z.int(),
  held: z.int(),
  messageId: z.string().optional(),
  batchId: z.string().optional(),
  description: z.string().optional(),
  createdAt: z.iso.datetime(),
});

export interface LedgerLine extends Omit<z.output<typeof storedEntry>, 'sk' | 'held'> {
  readonly balanceCoins: number;
  readonly heldCoins: number;
}
/** Where a page of the ledger goes on: the last entry's sort key, and the sums before it. */
export interface LedgerPosition {
  readonly sk: string;
  readonly balance: number;
  readonly held: number;
}

/** The wallet with its capture counters: its rows sort before its ledger when read newest first. */
const sums = (rows: readonly Row[]) => {
  const wallet = rows.find((row) => row.sk === 'W');
  if (!wallet) return undefined;
  const parsed = parseWallet(wallet);
  const captured = rows
    .filter((row) => row.sk.startsWith('S#'))
    .reduce((sum, row) => sum + z.int().parse(row.captured), 0);
  return { wallet: parsed, balance: parsed.balance, held: parsed.held - captured };
};

/** The wallet's balance and holds: one query of one partition, of at most nine rows. */
export const readWallet = async (table: Table, organizationId: string) => {
  const { rows } = await table.query({
    partition: KEYS.wallet(organizationId).pk,
    sort: { text: '#sk >= :first', values: { first: 'S#' } },
    consistent: true,
  });
  return sums(rows);
};

/**
 * A page of the ledger, newest first, each line with the balance after it: summed backwards from the wallet's own balance, which the
 * same query reads. Later pages go on from the position of the one before.
 */
export const readLedger = async (
  table: Table,
  organizationId: string,
  limit: number,
  from?: LedgerPosition,
): Promise<{ lines: LedgerLine[]; next?: LedgerPosition }> => {
  const partition = KEYS.wallet(organizationId).pk;
  const sort = from ? { text: '#sk BETWEEN :first AND :after', values: { first: 'E#', after: from.sk } } : undefined;
  const extra = from ? 1 : 9;
  const { rows } = await table.query({
    partition,
    ...(sort ? { sort } : {}),
    newestFirst: true,
    limit: limit + extra + 1,
    consistent: true,
  });
  const start = from ?? sums(rows);
  if (!start) return { lines: [] };
  const entries = rows
    .filter((row) => row.sk.startsWith('E#') && row.sk !== from?.sk)
    .map((row) => storedEntry.parse(row));
  let { balance, held } = start;
  const lines = entries.slice(0, limit).map(({ sk: _, held: moved, ...entry }): LedgerLine => {
    const line = { ...entry, balanceCoins: balance, heldCoins: held };
    balance -= entry.coins;
    held -= moved;
    return line;
  });
  const last = entries[limit - 1];
  return entries.length > limit && last ? { lines, next: { sk: last.sk, balance, held } } : { lines };
};
