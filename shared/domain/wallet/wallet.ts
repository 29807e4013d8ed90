import { asCoins, type Coins } from '../core/money.ts';

/** Kinds of ledger entries: a hold is negative, a capture 0, a release positive (docs/spec/wallet.md#ledger). */
export const ENTRY_KINDS = ['credit', 'hold', 'capture', 'release', 'adjustment'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** The last warning raised since the last credit, as stored. */
export const WARNING_LEVEL = { nothing: 0, low: 1, depleted: 2 } as const;

/** The part of a wallet that decides whether a hold fits and which warnings it raises. */
export interface WalletState {
  /** Spendable coins: credits minus captures minus holds. */
  readonly balance: Coins;
  /** Threshold of wallet.low_balance; 0 turns it off. */
  readonly low: Coins;
  /** A WARNING_LEVEL. */
  readonly warned: number;
}

/** Low-balance threshold of a new wallet: R$ 5.00. */
export const DEFAULT_LOW_BALANCE = asCoins(50_000);
/** Opening credit of a new organization's test wallet (docs/spec/operations.md#a-new-organization). */
export const TEST_OPENING_CREDIT = asCoins(10_000_000);

/** The warnings that a debit raises, given the state before it, and the new `warned` level. */
export const dueWarnings = (
  before: WalletState,
  coins: Coins,
): { warned: number; raise: readonly ('low' | 'depleted')[] } => {
  const after = before.balance - coins;
  const raise: ('low' | 'depleted')[] = [];
  let warned = before.warned;
  if (after < before.low && warned < WARNING_LEVEL.low) {
    raise.push('low');
    warned = WARNING_LEVEL.low;
  }
  if (after <= 0 && warned < WARNING_LEVEL.depleted) {
    raise.push('depleted');
    warned = WARNING_LEVEL.depleted;
  }
  return { warned, raise };
};

/** The `warned` level after a credit: a warning may be raised again once the balance is above its threshold. */
export const warnedAfterCredit = (balance: Coins, low: Coins, warned: number): number => {
  if (balance >= low && balance > 0) return WARNING_LEVEL.nothing;
  return balance > 0 ? Math.min(warned, WARNING_LEVEL.low) : warned;
};
