import type { Environment } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';
import { type PriceRow, priceRowOf, type Quote, quoteUnits } from '../pricing/prices.ts';
import { saoPauloMonth } from '../time.ts';
import type { SmsPorts } from './ports.ts';
import type { SmsRoute } from './provider.ts';

export interface SmsQuote extends Quote {
  readonly month: string;
}

type QuotePorts = Pick<SmsPorts, 'clock' | 'prices' | 'volume'>;

/** The price row of a route. 412 where the table has none: `la_dedicada` is quoted on request (interface 4.1, rule 7). */
export const smsPriceRow = async (
  ports: Pick<SmsPorts, 'prices'>,
  route: SmsRoute,
): Promise<PriceRow | Refusal<'PRECONDITION_FAILED'>> => {
  const row = route === 'la_dedicada' ? undefined : priceRowOf(await ports.prices(), 'sms', route);
  return row ?? refuse('PRECONDITION_FAILED', 'This route has no table price: it is quoted on request.');
};

/** What segments would cost at this moment: sandbox and live alike, by the live month's volume. */
export const quoteSms = async (
  ports: QuotePorts,
  organizationId: string,
  env: Environment,
  row: PriceRow,
  segments: number,
): Promise<SmsQuote> => {
  const month = saoPauloMonth(ports.clock());
  const volume = await ports.volume(organizationId, env, month, (at) => quoteUnits(row, segments, at).volumeTo);
  return { ...quoteUnits(row, segments, volume), month };
};
