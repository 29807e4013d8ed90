import type { PriceTable } from './prices.ts';

/**
 * The prices of a fresh deployment, in coins (R$ 0.0001), until an operator sets others: in the range of the Brazilian
 * market, and always above what the providers ask. The reply's price is the interface's own (part 8: R$ 0.02).
 */
export const DEFAULT_PRICES: PriceTable = [
  {
    channel: 'sms',
    route: 'premium',
    unit: 'segment',
    bands: [
      { upTo: 100_000, coins: 800 },
      { upTo: 500_000, coins: 700 },
      { upTo: 2_000_000, coins: 620 },
      { upTo: null, coins: 550 },
    ],
  },
  {
    channel: 'sms',
    route: 'otp',
    unit: 'segment',
    bands: [
      { upTo: 100_000, coins: 900 },
      { upTo: 500_000, coins: 800 },
      { upTo: 2_000_000, coins: 720 },
      { upTo: null, coins: 650 },
    ],
  },
  { channel: 'sms', route: 'reply', unit: 'reply', bands: [{ upTo: null, coins: 200 }] },
];
