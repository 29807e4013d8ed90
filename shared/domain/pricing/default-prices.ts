import type { PriceRow, PriceTable } from './prices.ts';
import { ZONE_NAMES, ZONES, type Zone } from './zones.ts';

type Unit = PriceRow['unit'];

const fixed = (channel: string, route: string, unit: Unit, coins: number): PriceRow => ({
  channel,
  route,
  unit,
  bands: [{ upTo: null, coins }],
});

/** Brazilian SMS, by the volume of the month. */
const banded = (
  route: string,
  [first, second, third, last]: readonly [number, number, number, number],
): PriceTable[number] => ({
  channel: 'sms',
  route,
  prefix: ZONES.brazil[0] ?? '',
  unit: 'segment',
  bands: [
    { upTo: 100_000, coins: first },
    { upTo: 500_000, coins: second },
    { upTo: 2_000_000, coins: third },
    { upTo: null, coins: last },
  ],
});

/** One row per prefix of a zone. */
const inZone = (zone: Zone, row: PriceRow): PriceTable =>
  ZONES[zone].map((prefix) => {
    const { channel, route, ...rest } = row;
    return { channel, route, prefix, ...rest };
  });

/** Coins per premium SMS segment outside Brazil. */
const ABROAD: Readonly<Record<Exclude<Zone, 'brazil'>, number>> = {
  northAmerica: 1_000,
  latinAmerica: 6_500,
  europe: 7_000,
  asiaPacific: 9_000,
  middleEastAfrica: 20_000,
  remote: 40_000,
};

/** SMS and RCS by zone. An RCS message abroad may be sent as an SMS by its provider, so it costs more than an SMS. */
const byZone = (): PriceTable =>
  ZONE_NAMES.flatMap((zone) => {
    if (zone === 'brazil')
      return [
        ...inZone(zone, fixed('rcs', 'easy_rcs', 'message', 1_200)),
        ...inZone(zone, fixed('rcs', 'easy_otp_rcs', 'message', 1_400)),
      ];
    const coins = ABROAD[zone];
    return [
      ...inZone(zone, fixed('sms', 'premium', 'segment', coins)),
      ...inZone(zone, fixed('sms', 'otp', 'segment', (coins * 11) / 10)),
      ...inZone(zone, fixed('rcs', 'easy_rcs', 'message', (coins * 15) / 10)),
      ...inZone(zone, fixed('rcs', 'easy_otp_rcs', 'message', (coins * 16) / 10)),
    ];
  });

/** Countries where Meta charges far more per message than elsewhere. */
const DEAR_ON_WHATSAPP: Readonly<Record<string, number>> = { '31': 10_000, '33': 9_500, '49': 9_000 };

const whatsapp = (): PriceTable => [
  fixed('whatsapp', 'marketing', 'message', 4_500),
  fixed('whatsapp', 'utility', 'message', 900),
  fixed('whatsapp', 'authentication', 'message', 900),
  fixed('whatsapp', 'session', 'message', 150),
  ...Object.entries(DEAR_ON_WHATSAPP).flatMap(([prefix, coins]) => [
    { ...fixed('whatsapp', 'marketing', 'message', coins), prefix },
    { ...fixed('whatsapp', 'utility', 'message', coins / 2), prefix },
    { ...fixed('whatsapp', 'authentication', 'message', coins / 2), prefix },
  ]),
];

/**
 * Prices of a new deployment, in coins (R$ 0.0001), until an operator changes them: in the range of the Brazilian market and above every
 * provider's cost (docs/spec/pricing.md#default-prices).
 */
export const DEFAULT_PRICES: PriceTable = [
  banded('premium', [800, 700, 620, 550]),
  banded('otp', [900, 800, 720, 650]),
  fixed('sms', 'reply', 'reply', 200),
  ...byZone(),
  fixed('email', 'email', 'recipient', 30),
  ...whatsapp(),
  fixed('instagram', 'session', 'message', 150),
  fixed('push', 'simple', 'device', 10),
  fixed('push', 'rich', 'device', 15),
  fixed('push', 'silent', 'device', 5),
];
