import type { PriceTable } from './prices.ts';

const fixed = (
  channel: string,
  route: string,
  unit: PriceTable[number]['unit'],
  coins: number,
): PriceTable[number] => ({
  channel,
  route,
  unit,
  bands: [{ upTo: null, coins }],
});

const banded = (
  route: string,
  [first, second, third, last]: readonly [number, number, number, number],
): PriceTable[number] => ({
  channel: 'sms',
  route,
  unit: 'segment',
  bands: [
    { upTo: 100_000, coins: first },
    { upTo: 500_000, coins: second },
    { upTo: 2_000_000, coins: third },
    { upTo: null, coins: last },
  ],
});

/**
 * Prices of a new deployment, in coins (R$ 0.0001), until an operator changes them: in the range of the Brazilian market and above every
 * provider's cost (docs/spec/pricing.md#default-prices).
 */
export const DEFAULT_PRICES: PriceTable = [
  banded('premium', [800, 700, 620, 550]),
  banded('otp', [900, 800, 720, 650]),
  fixed('sms', 'reply', 'reply', 200),
  fixed('rcs', 'easy_rcs', 'message', 1_200),
  fixed('rcs', 'easy_otp_rcs', 'message', 1_400),
  fixed('email', 'email', 'recipient', 30),
  fixed('whatsapp', 'marketing', 'message', 4_500),
  fixed('whatsapp', 'utility', 'message', 900),
  fixed('whatsapp', 'authentication', 'message', 900),
  fixed('whatsapp', 'session', 'message', 150),
  fixed('instagram', 'session', 'message', 150),
  fixed('push', 'simple', 'device', 10),
  fixed('push', 'rich', 'device', 15),
  fixed('push', 'silent', 'device', 5),
];
