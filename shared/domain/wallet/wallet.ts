import { asCoins, type Coins } from '../money.ts';

/** What a ledger's line says that moved: a hold is negative, a capture 0, a release positive (decisions, part 6). */
export const ENTRY_KINDS = ['credit', 'hold', 'capture', 'release', 'adjustment'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** How far the warnings of a wallet went since its last credit. */
export const WARNED = { nothing: 0, low: 1, depleted: 2 } as const;

/** What of a wallet decides whether a hold fits and what it must warn of. */
export interface WalletState {
  /** What can be spent: credits less captured less held. */
  readonly balance: Coins;
  /** The threshold of wallet.low_balance; 0 turns it off. */
  readonly low: Coins;
  /** One of WARNED. */
  readonly warned: number;
}

/** The threshold of a new wallet: R$ 5.00. */
export const DEFAULT_LOW_BALANCE = asCoins(50_000);
/** What a new organization's test wallet opens with (decisions, part 2). */
export const TEST_OPENING_CREDIT = asCoins(10_000_000);

/** Which warnings a debit must raise, given the state before it; the new `warned`. */
export const warningsOf = (
  before: WalletState,
  coins: Coins,
): { warned: number; raise: readonly ('low' | 'depleted')[] } => {
  const after = before.balance - coins;
  const raise: ('low' | 'depleted')[] = [];
  let warned = before.warned;
  if (after < before.low && warned < WARNED.low) {
    raise.push('low');
    warned = WARNED.low;
  }
  if (after <= 0 && warned < WARNED.depleted) {
    raise.push('depleted');
    warned = WARNED.depleted;
  }
  return { warned, raise };
};

/** What `warned` falls back to when a credit arrives: a warning is due again once the balance is above its line. */
export const warnedAfterCredit = (balance: Coins, low: Coins, warned: number): number => {
  if (balance >= low && balance > 0) return WARNED.nothing;
  return balance > 0 ? Math.min(warned, WARNED.low) : warned;
};
