import * as z from 'zod';
import { auditEntry, operatorEntry } from '../../domain/audit/entry.ts';
import type { Actor, Tenant } from '../../domain/core/actor.ts';
import { Unavailable } from '../../domain/core/errors.ts';
import type { Id } from '../../domain/core/ids.ts';
import { addCoins, asCoins, type Coins, NO_COINS } from '../../domain/core/money.ts';
import { isoTime } from '../../domain/core/time.ts';
import { type DomainEvent, newEvent } from '../../domain/events/event.ts';
import {
  DEFAULT_LOW_BALANCE,
  dueWarnings,
  WARNING_LEVEL,
  type WalletState,
  warnedAfterCredit,
} from '../../domain/wallet/wallet.ts';
import { KEYS } from '../access-patterns.ts';
import { auditWrites } from '../audit/audit-log.ts';
import { ABSENT, allOf } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { eventWrite } from '../due-work/outbox.ts';
import { entryWrite } from './entries.ts';
import { rememberWallet } from './lane-cache.ts';
import { readWallet } from './read-wallet.ts';
import { recallAll } from './recall.ts';
import { walletRows } from './wallet-row.ts';

/** A debit's write, planned for the wallet as last seen. Only a plan with events requires an unchanged balance. */
export interface DebitPlan {
  readonly when: Condition;
  readonly warned?: number;
  readonly events: readonly DomainEvent[];
}

/**
 * Plans a debit. Far above the threshold, or already warned, the condition names no exact balance, so that concurrent debits never invalidate
 * each other; only the one debit that crosses a line does, to raise its event once.
 */
export const planDebit = (seen: WalletState, coins: Coins, at: Tenant & { now: number }): DebitPlan => {
  const { balance, low, warned } = seen;
  const { raise, warned: next } = dueWarnings(seen, coins);
  if (raise.length > 0 && balance >= coins) {
    const events = raise.map((kind) => walletEvent(kind, { ...at, balance: asCoins(balance - coins), low }));
    return {
      when: { text: '#balance = :seen AND #low = :low AND #warned = :warned', values: { seen: balance, low, warned } },
      warned: next,
      events,
    };
  }
  if (warned === WARNING_LEVEL.nothing)
    return {
      when: { text: '#balance >= :calm AND #low = :low', values: { calm: coins + Math.max(low, 1), low } },
      events: [],
    };
  if (warned === WARNING_LEVEL.low)
    return { when: { text: '#warned >= :warned AND #balance > :coins', values: { warned, coins } }, events: [] };
  return { when: { text: '#warned >= :warned AND #balance >= :coins', values: { warned, coins } }, events: [] };
};

/** The planned debit's write to the wallet, with other counters to increase, on condition that the month is as it was priced; removes attributes. */
export const debitWrite = (
  organizationId: Id<'organization'>,
  { warned, when }: DebitPlan,
  add: Readonly<Record<string, number>>,
  isPriced?: Condition,
  remove: readonly string[] = [],
): WriteOp => ({
  update: KEYS.wallet(organizationId),
  ...(warned === undefined ? {} : { set: walletRows.set({ warned }) }),
  add,
  ...(remove.length > 0 ? { remove } : {}),
  when: allOf([when, isPriced]) ?? when,
});

/** wallet.low_balance or wallet.depleted. */
export const walletEvent = (
  kind: 'low' | 'depleted',
  { organizationId, env, now, balance, low }: Tenant & { now: number; balance: Coins; low: Coins },
): DomainEvent =>
  newEvent({
    type: kind === 'low' ? 'wallet.low_balance' : 'wallet.depleted',
    organizationId,
    env,
    createdAt: now,
    data: { balanceCoins: balance, lowBalanceCoins: low },
  });

/** Opens a wallet; does nothing if it exists. */
export const openWallet = (organizationId: Id<'organization'>): WriteOp => ({
  put: {
    ...KEYS.wallet(organizationId),
    ...walletRows.set({ balance: NO_COINS, held: 0, low: DEFAULT_LOW_BALANCE, warned: WARNING_LEVEL.nothing }),
  },
  when: { text: 'attribute_not_exists(#pk)' },
});

/** A credit under a key that credited another number of coins before. */
export class CreditKeyUsed extends Error {
  override readonly name = 'CreditKeyUsed';
  readonly credited: number;
  constructor(credited: number) {
    super(`The idempotency key credited ${credited} coins before.`);
    this.credited = credited;
  }
}

/** The writes that let one credit pass under a key: ever, since a credit is not charged back when a key expires. */
const onceWrites = (organizationId: Id<'organization'>, key: string, coins: Coins, now: number): WriteOp[] => [
  // Callers cannot put a line break into a key of theirs: none of them has the key of a credit, or takes it.
  { put: { ...KEYS.idempotency(organizationId, `credit\n${key}`), at: isoTime(now), coins }, when: ABSENT },
  // The record of a credit by an earlier version. One of a caller's has a hash.
  {
    check: KEYS.idempotency(organizationId, `credit:${key}`),
    when: { text: 'attribute_not_exists(#pk) OR attribute_exists(#requestHash)', values: {} },
  },
];

const creditRecord = z.object({ coins: z.int().exactOptional() });

/** Throws a CreditKeyUsed if the key's record is that of other coins. A record of an earlier version names none. */
const refuseOtherCoins = (record: Row | undefined, coins: Coins): void => {
  const credited = creditRecord.parse(record ?? {}).coins ?? coins;
  if (credited !== coins) throw new CreditKeyUsed(credited);
};

/**
 * Credits a wallet (coins > 0), and opens a new one; an act of the operator. Returns the balance after it. A call credits once, whatever
 * answers are lost; with an `idempotencyKey`, so do all calls with it. Throws a RangeError unless coins are a positive whole number, and a
 * CreditKeyUsed if the key credited other coins.
 */
export const creditWallet = async (
  table: Table,
  credit: Tenant & {
    coins: number;
    description: string;
    now: number;
    idempotencyKey?: string;
  },
): Promise<{ balanceCoins: number }> => {
  const coins = asCoins(credit.coins);
  if (coins <= 0) throw new RangeError('a credit must be a positive whole number of coins');
  const { organizationId, now } = credit;
  const act = { action: 'wallet.credited', object: organizationId, at: now, details: { coins } } as const;
  const audit = auditWrites(operatorEntry(organizationId, act));
  // One for all turns: one that was stored, and whose answer was lost, is found by its id.
  const line = entryWrite({ organizationId, kind: 'credit', coins, held: 0, at: now, description: credit.description });
  const once = credit.idempotencyKey ? onceWrites(organizationId, credit.idempotencyKey, coins, now) : [];
  for (let turn = 0; turn < 20; turn++) {
    const row = await table.get(KEYS.wallet(organizationId));
    if (!row) {
      await table.write(openWallet(organizationId));
      continue;
    }
    const { balance, low, warned, opened } = walletRows.read(row);
    const after = addCoins(balance, coins);
    const total = async () => (await readWallet(table, organizationId))?.balance ?? after;
    const outcome = await table.transact([
      {
        update: KEYS.wallet(organizationId),
        set: { warned: warnedAfterCredit(after, low, warned) },
        add: { balance: coins },
        when: { text: '#balance = :balance AND #warned = :warned', values: { balance, warned } },
      },
      { ...line, when: ABSENT },
      ...once,
      ...audit,
    ]);
    if (outcome.ok) return { balanceCoins: opened === 0 ? after : await total() };
    if (once.length > 0) refuseOtherCoins(outcome.reasons[2]?.row, coins);
    // Credited already: by this call, or earlier with the same key.
    if (outcome.reasons.slice(1).some(({ conditionFailed }) => conditionFailed)) return { balanceCoins: await total() };
  }
  throw new Unavailable('The wallet is too busy to be credited.');
};

/** Records that a send was refused for lack of funds: wallet.depleted, once until the next credit. Returns the event if this call raised it. */
export const noteDepleted = async (table: Table, at: Tenant & { now: number }): Promise<DomainEvent | undefined> => {
  const row = await table.get(KEYS.wallet(at.organizationId));
  if (!row) return undefined;
  const state = rememberWallet(table, at.organizationId, row);
  if (state.warned >= WARNING_LEVEL.depleted) return undefined;
  const event = walletEvent('depleted', { ...at, balance: state.balance, low: state.low });
  const outcome = await table.transact([
    {
      update: KEYS.wallet(at.organizationId),
      set: { warned: WARNING_LEVEL.depleted },
      when: { text: '#warned = :seen AND #balance = :balance', values: { seen: state.warned, balance: state.balance } },
    },
    eventWrite(event),
  ]);
  return outcome.ok ? event : undefined;
};

/** Sets the low-balance threshold. Warnings above the new threshold can be raised again. Lanes, which lease what is above the old one, are closed. */
export const setLowBalance = async (table: Table, actor: Actor, low: Coins, now: number): Promise<boolean> => {
  const act = { action: 'wallet.changed', object: actor.organizationId, at: now, details: { coins: low } } as const;
  const entry = auditEntry(actor, act);
  for (let turn = 0; turn < 20; turn++) {
    const row = await table.get(KEYS.wallet(actor.organizationId));
    if (!row) return false;
    const { balance, warned, opened } = rememberWallet(table, actor.organizationId, row);
    const written = await table.transact([
      {
        update: KEYS.wallet(actor.organizationId),
        set: { low, warned: warnedAfterCredit(balance, low, warned) },
        when: { text: '#balance = :balance AND #warned = :warned', values: { balance, warned } },
      },
      ...auditWrites(entry),
    ]);
    if (!written.ok) continue;
    if (opened > 0) await recallAll(table, actor.organizationId);
    return true;
  }
  throw new Unavailable('The wallet is too busy to be changed.');
};
