declare const coins: unique symbol;
/** An integer amount; 1 coin = R$ 0.0001 (docs/spec/pricing.md#coins). May be negative in a ledger entry. */
export type Coins = number & { readonly [coins]: true };

/** Casts a number to coins. Throws a RangeError unless it is a safe integer: amounts are never rounded silently. */
export const asCoins = (value: number): Coins => {
  if (!Number.isSafeInteger(value)) throw new RangeError('coins must be a safe integer');
  return (value === 0 ? 0 : value) as Coins;
};

export const NO_COINS = asCoins(0);
export const addCoins = (a: Coins, b: Coins): Coins => asCoins(a + b);
