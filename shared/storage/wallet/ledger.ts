import * as z from 'zod';
import { type Id, newId } from '../../domain/core/ids.ts';
import { isoTime } from '../../domain/core/time.ts';
import { ENTRY_KINDS, type EntryKind } from '../../domain/wallet/wallet.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { walletRows } from './wallet-row.ts';

/** A movement of a wallet. `held` is the change of its held coins. */
interface Movement {
  readonly kind: EntryKind;
  readonly coins: number;
  readonly held: number;
  readonly messageId?: Id<'message'>;
  readonly batchId?: Id<'batch'>;
  readonly description?: string;
}
interface Entry extends Movement {
  readonly id: Id<'entry'>;
  /** In the interface's format. */
  readonly createdAt: string;
}

let ticks = 0;
/** A sort key in order of time, and within one millisecond of one process in order of the calls. */
const entryOrder = ({ createdAt, id }: Entry): string => {
  ticks = (ticks + 1) % 1_679_616;
  return `${createdAt}#${ticks.toString(36).padStart(4, '0')}#${id}`;
};

const entryRows = defineRow<Entry>()({
  attributes: {
    id: id('entry'),
    kind: z.enum(ENTRY_KINDS),
    coins: z.int(),
    held: z.int(),
    messageId: id('message').exactOptional(),
    batchId: id('batch').exactOptional(),
    description: z.string().exactOptional(),
    createdAt: z.iso.datetime(),
  },
  key: (entry, organizationId: Id<'organization'>) => KEYS.entry(organizationId, entryOrder(entry)),
});

/** The ledger entry of a movement. The balance after it is computed on reading. */
export const entryWrite = ({
  organizationId,
  at,
  ...movement
}: Movement & { readonly organizationId: Id<'organization'>; readonly at: number }): WriteOp => ({
  put: entryRows.write({ ...movement, id: newId('entry'), createdAt: isoTime(at) }, organizationId),
});

export interface LedgerLine extends Omit<Entry, 'held'> {
  readonly balanceCoins: number;
  readonly heldCoins: number;
}
/** Where the next page of the ledger begins: the last entry's sort key, and the sums before it. */
export interface LedgerPosition {
  readonly sk: string;
  readonly balance: number;
  readonly held: number;
}

/** The sums of the wallet and its capture counters: read newest first, their rows come before the ledger's. */
export const sums = (rows: readonly Row[]) => {
  const wallet = rows.find((row) => row.sk === 'W');
  if (!wallet) return undefined;
  const parsed = walletRows.read(wallet);
  const captured = rows
    .filter((row) => row.sk.startsWith('S#'))
    .reduce((sum, row) => sum + z.int().parse(row.captured), 0);
  return { wallet: parsed, balance: parsed.balance, held: parsed.held - captured };
};

/** The wallet's balance and holds. One query of one partition, at most nine rows. */
export const readWallet = async (table: Table, organizationId: Id<'organization'>) => {
  const { rows } = await table.query({
    partition: KEYS.wallet(organizationId).pk,
    sort: { text: '#sk >= :first', values: { first: 'S#' } },
    consistent: true,
  });
  return sums(rows);
};

/**
 * A page of the ledger, newest first, each entry with the balance after it: computed backwards from the wallet's balance, which the same query
 * reads. Later pages continue from the previous one's position.
 */
export const readLedger = async (
  table: Table,
  organizationId: Id<'organization'>,
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
  const entries = rows.filter((row) => row.sk.startsWith('E#') && row.sk !== from?.sk);
  let { balance, held } = start;
  const lines = entries.slice(0, limit).map((row): LedgerLine => {
    const { held: moved, ...entry } = entryRows.read(row);
    const line = { ...entry, balanceCoins: balance, heldCoins: held };
    balance -= entry.coins;
    held -= moved;
    return line;
  });
  const last = entries[limit - 1];
  return entries.length > limit && last ? { lines, next: { sk: last.sk, balance, held } } : { lines };
};
