import { channelOf } from '../channels/registry.ts';
import type { Environment } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import { type PriceRow, priceRowOf, type Quote, quoteUnits } from '../pricing/prices.ts';
import type { QuotePorts } from './ports.ts';

export interface SendQuote extends Quote {
  readonly month: string;
}

/** The price row of a route; 412 where the table has none (docs/spec/pricing.md#the-price-table). */
export const priceOf = async (
  ports: Pick<QuotePorts, 'prices'>,
  channel: Channel,
  route: string,
): Promise<PriceRow | Refusal<'PRECONDITION_FAILED'>> =>
  priceRowOf(await ports.prices(), channel, route) ??
  refuse('PRECONDITION_FAILED', 'This route has no table price: it is quoted on request.');

/** Prices units now, in the sandbox too by the live month's volume (docs/spec/pricing.md#price-in-the-sandbox). */
export const quote = async (
  ports: QuotePorts,
  organizationId: Id<'organization'>,
  env: Environment,
  row: PriceRow,
  units: number,
): Promise<SendQuote> => {
  const month = saoPauloMonth(ports.clock());
  const volume = channelOf(row.channel as Channel).countsVolume
    ? await ports.volume(organizationId, env, month, (at) => quoteUnits(row, units, at).volumeTo)
    : 0;
  return { ...quoteUnits(row, units, volume), month };
};
