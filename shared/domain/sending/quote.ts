import { channelOf } from '../channels/registry.ts';
import type { Environment } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { saoPauloMonth } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import { type Destination, type PriceRow, priceRowOf } from '../pricing/prices.ts';
import { type MonthVolume, NO_VOLUME, type Quote, quoteUnits } from '../pricing/volume.ts';
import type { QuotePorts } from './ports.ts';

/** A price, and the month (`YYYYMM`, São Paulo) whose volume it was read at. */
export interface SendQuote extends Quote {
  readonly month: string;
}

/**
 * The price row of a route, for a recipient if that is a phone number; 412 if the table has none
 * (docs/spec/pricing.md#prices-by-destination).
 */
export const priceOf = async (
  ports: Pick<QuotePorts, 'prices'>,
  channel: Channel,
  route: string,
  destination?: Destination,
): Promise<PriceRow | Refusal<'PRECONDITION_FAILED'>> => {
  const table = await ports.prices();
  const price = priceRowOf(table, channel, route, destination);
  if (price) return price;
  if (!table.some((row) => row.channel === channel && row.route === route))
    return refuse('PRECONDITION_FAILED', {
      detail: 'This route has no table price: it is quoted on request.',
      meta: { motivo: 'route_not_priced' },
    });
  return refuse('PRECONDITION_FAILED', {
    detail: 'The price table has no price for this destination: nothing is sent there.',
    meta: { motivo: 'destination_not_priced' },
  });
};

/** Prices units now; the sandbox, too, uses the live month's volume (docs/spec/pricing.md#price-in-the-sandbox). */
export const quote = async (
  ports: QuotePorts,
  organizationId: Id<'organization'>,
  env: Environment,
  row: PriceRow,
  units: number,
): Promise<SendQuote> => {
  const month = saoPauloMonth(ports.clock());
  const volume: MonthVolume = channelOf(row.channel as Channel).countsVolume
    ? await ports.volume(organizationId, env, month, (at) => quoteUnits(row, units, at))
    : NO_VOLUME;
  return { ...quoteUnits(row, units, volume), month };
};
