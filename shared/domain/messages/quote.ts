import type { Environment } from '../actor.ts';
import { type Refusal, refuse } from '../errors.ts';
import { type PriceRow, priceRowOf, type Quote, quoteUnits } from '../pricing/prices.ts';
import { saoPauloMonth } from '../time.ts';
import { rulesOf } from './channels.ts';
import type { QuotePorts } from './ports.ts';
import type { Channel } from './provider.ts';

export interface SendQuote extends Quote {
  readonly month: string;
}

/** The price row of a route. 412 where the table has none: it is quoted on request (interface 4.1, rule 7). */
export const priceOf = async (
  ports: Pick<QuotePorts, 'prices'>,
  channel: Channel,
  route: string,
): Promise<PriceRow | Refusal<'PRECONDITION_FAILED'>> =>
  priceRowOf(await ports.prices(), channel, route) ??
  refuse('PRECONDITION_FAILED', 'This route has no table price: it is quoted on request.');

/** What units would cost at this moment: sandbox and live alike, by the live month's volume where the channel counts one. */
export const quote = async (
  ports: QuotePorts,
  organizationId: string,
  env: Environment,
  row: PriceRow,
  units: number,
): Promise<SendQuote> => {
  const month = saoPauloMonth(ports.clock());
  const volume = rulesOf(row.channel as Channel).countsVolume
    ? await ports.volume(organizationId, env, month, (at) => quoteUnits(row, units, at).volumeTo)
    : 0;
  return { ...quoteUnits(row, units, volume), month };
};
