declare const coins: unique symbol;
/** A whole number of coins; 1 coin = R$ 0.0001 (interface, part 1). May be negative in a ledger entry. */
export type Coins = number & { readonly [coins]: true };

/** Brands a whole, safe number as coins. Throws a RangeError otherwise: money is never rounded in silence. */
export const asCoins = (value: number): Coins => {
  if (!Number.isSafeInteger(value)) throw new RangeError('coins must be a safe integer');
  return (value === 0 ? 0 : value) as Coins;
};

export const NO_COINS = asCoins(0);
export const addCoins = (a: Coins, b: Coins): Coins => asCoins(a + b);
