import * as z from 'zod';
import type { Actor, Environment } from '../domain/actor.ts';
import { type DomainEvent, newEvent } from '../domain/events/event.ts';
import { type Id, newId } from '../domain/ids.ts';
import { type Coins, addCoins, asCoins } from '../domain/money.ts';
import { isoTime } from '../domain/time.ts';
import { DEFAULT_LOW_BALANCE, WARNED, type WalletState, warnedAfterCredit, warningsOf } from '../domain/wallet/wallet.ts';
import { Unavailable } from '../domain/errors.ts';
import { KEYS } from './access-patterns.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { eventWrite } from './outbox.ts';
import type { Row, Table } from './table.ts';

const storedWallet = z.object({
  balance: z.int(),
  /** Holds less releases: what was captured of it stands on the capture rows. */
  held: z.int(),
  low: z.int(),
  warned: z.int(),
  sms: z.int().default(0),
  replies: z.int().default(0),
});
export type StoredWallet = z.output<typeof storedWallet>;

/** Reads a wallet row; every field is checked. */
export const parseWallet = (row: Row): StoredWallet => storedWallet.parse(row);

const stateOf = (row: Row): WalletState => {
  const { balance, low, warned } = parseWallet(row);
  return { balance: asCoins(balance), low: asCoins(low), warned };
};

export const ENTRY_KINDS = ['credit', 'hold', 'capture', 'release', 'adjustment'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

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
      description: entry.description,
      createdAt: isoTime(entry.at),
    },
  };
};

/** The ways a debit can meet a wallet, from what was last seen of it. Only `exact` needs the balance to stand still. */
export interface DebitPlan {
  readonly when: Condition;
  readonly warned?: number;
  readonly events: readonly DomainEvent[];
}

/**
 * Plans a debit. Far above the threshold, or already warned, the condition names no exact balance, so that concurrent
 * debits never invalidate each other; only the one debit that crosses a line pins it, to raise its event once.
 */
export const planDebit = (seen: WalletState, coins: Coins, at: { organizationId: Id<'organization'>; env: Environment; now: number }): DebitPlan => {
  const { balance, low, warned } = seen;
  const { raise, warned: next } = warningsOf(seen, coins);
  if (raise.length > 0) {
    const events = raise.map((kind) => walletEvent(kind, { ...at, balance: asCoins(balance - coins), low }));
    return { when: { text: '#balance = :seen AND #low = :low AND #warned = :warned', values: { seen: balance, low, warned } }, warned: next, events };
  }
  if (warned === WARNED.nothing)
    return { when: { text: '#balance >= :calm AND #low = :low', values: { calm: coins + Math.max(low, 1), low } }, events: [] };
  if (warned === WARNED.low) return { when: { text: '#warned >= :warned AND #balance > :coins', values: { warned, coins } }, events: [] };
  return { when: { text: '#warned >= :warned AND #balance >= :coins', values: { warned, coins } }, events: [] };
};

/** wallet.low_balance or wallet.depleted. */
export const walletEvent = (
  kind: 'low' | 'depleted',
  { organizationId, env, now, balance, low }: { organizationId: Id<'organization'>; env: Environment; now: number; balance: Coins; low: Coins },
): DomainEvent =>
  newEvent({
    type: kind === 'low' ? 'wallet.low_balance' : 'wallet.depleted',
    organizationId,
    env,
    createdAt: now,
    data: { balanceCoins: balance, lowBalanceCoins: low },
  });

/** What this process last saw of each wallet: only a guess for the first try of a debit, never a truth. */
const lastSeen = new Map<string, WalletState>();
const MAX_SEEN = 10_000;
export const guessWallet = (organizationId: string): WalletState =>
  lastSeen.get(organizationId) ?? { balance: asCoins(Number.MAX_SAFE_INTEGER), low: DEFAULT_LOW_BALANCE, warned: WARNED.nothing };
export const rememberWallet = (organizationId: string, row: Row): WalletState => {
  if (lastSeen.size >= MAX_SEEN) lastSeen.clear();
  const state = stateOf(row);
  lastSeen.set(organizationId, state);
  return state;
};

/** Opens a wallet, or does nothing when there is one. */
export const openWallet = (organizationId: string): WriteOp => ({
  put: { ...KEYS.wallet(organizationId), balance: 0, held: 0, low: DEFAULT_LOW_BALANCE, warned: WARNED.nothing },
  when: { text: 'attribute_not_exists(#pk)' },
});

/**
 * Credits a wallet (coins > 0), opening it when it is new. With an `idempotencyKey` a repeat credits nothing and answers the balance
 * as it stands. Throws a RangeError for coins that are no positive whole number.
 */
export const creditWallet = async (
  table: Table,
  credit: { organizationId: string; env: Environment; coins: number; description: string; now: number; idempotencyKey?: string },
): Promise<{ balanceCoins: number }> => {
  const coins = asCoins(credit.coins);
  if (coins <= 0) throw new RangeError('a credit must be a positive whole number of coins');
  const { organizationId, now } = credit;
  for (let turn = 0; turn < 20; turn++) {
    const row = await table.get(KEYS.wallet(organizationId));
    if (!row) {
      await table.write(openWallet(organizationId));
      continue;
    }
    const { balance, low, warned } = stateOf(row);
    const after = addCoins(balance, coins);
    const once: WriteOp[] = credit.idempotencyKey
      ? [{ put: { ...KEYS.idempotency(organizationId, `credit:${credit.idempotencyKey}`), at: isoTime(now) }, when: { text: 'attribute_not_exists(#pk)' } }]
      : [];
    const outcome = await table.transact([
      {
        update: KEYS.wallet(organizationId),
        set: { warned: warnedAfterCredit(after, low, warned) },
        add: { balance: coins },
        when: { text: '#balance = :balance AND #warned = :warned', values: { balance, warned } },
      },
      entryWrite({ organizationId, kind: 'credit', coins, held: 0, at: now, description: credit.description }),
      ...once,
    ]);
    if (outcome.ok) return { balanceCoins: after };
    if (outcome.reasons[2]?.conditionFailed) return { balanceCoins: balance };
  }
  throw new Unavailable('The wallet is too busy to be credited.');
};

/** Notes that a send was refused for lack of funds: wallet.depleted, once until the next credit. The raised event, if it was this call. */
export const noteDepleted = async (table: Table, at: { organizationId: Id<'organization'>; env: Environment; now: number }): Promise<DomainEvent | undefined> => {
  const row = await table.get(KEYS.wallet(at.organizationId));
  if (!row) return undefined;
  const state = rememberWallet(at.organizationId, row);
  if (state.warned >= WARNED.depleted) return undefined;
  const event = walletEvent('depleted', { ...at, balance: state.balance, low: state.low });
  const outcome = await table.transact([
    {
      update: KEYS.wallet(at.organizationId),
      set: { warned: WARNED.depleted },
      when: { text: '#warned = :seen AND #balance = :balance', values: { seen: state.warned, balance: state.balance } },
    },
    eventWrite(event),
  ]);
  return outcome.ok ? event : undefined;
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
  const captured = rows.filter((row) => row.sk.startsWith('S#')).reduce((sum, row) => sum + z.int().parse(row.captured), 0);
  return { wallet: parsed, balance: parsed.balance, held: parsed.held - captured };
};

/** The wallet's balance and holds: one query of one partition, of at most nine rows. */
export const readWallet = async (table: Table, organizationId: string) => {
  const { rows } = await table.query({ partition: KEYS.wallet(organizationId).pk, sort: { text: '#sk >= :first', values: { first: 'S#' } }, consistent: true });
  return sums(rows);
};

/**
 * A page of the ledger, newest first, each line with the balance after it: summed backwards from the wallet's own balance, which the
 * same query reads. Later pages go on from the position of the one before.
 */
export const readLedger = async (table: Table, organizationId: string, limit: number, from?: LedgerPosition): Promise<{ lines: LedgerLine[]; next?: LedgerPosition }> => {
  const partition = KEYS.wallet(organizationId).pk;
  const sort = from ? { text: '#sk BETWEEN :first AND :after', values: { first: 'E#', after: from.sk } } : undefined;
  const extra = from ? 1 : 9;
  const { rows } = await table.query({ partition, ...(sort ? { sort } : {}), newestFirst: true, limit: limit + extra + 1, consistent: true });
  const start = from ?? sums(rows);
  if (!start) return { lines: [] };
  const entries = rows.filter((row) => row.sk.startsWith('E#') && row.sk !== from?.sk).map((row) => storedEntry.parse(row));
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

/** Sets the low-balance threshold; warnings above the new line are due again. */
export const setLowBalance = async (table: Table, actor: Actor, low: Coins): Promise<boolean> => {
  for (let turn = 0; turn < 20; turn++) {
    const row = await table.get(KEYS.wallet(actor.organizationId));
    if (!row) return false;
    const { balance, warned } = rememberWallet(actor.organizationId, row);
    const written = await table.write({
      update: KEYS.wallet(actor.organizationId),
      set: { low, warned: warnedAfterCredit(balance, low, warned) },
      when: { text: '#balance = :balance AND #warned = :warned', values: { balance, warned } },
    });
    if (written.ok) return true;
  }
  throw new Unavailable('The wallet is too busy to be changed.');
};
