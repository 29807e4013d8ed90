import { channelOf } from '../channels/registry.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { numberOrigin, phoneRegion } from '../core/phone.ts';
import { isoTime } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import type { ChannelPlan } from '../message/plan.ts';
import type { Destination, PriceRow } from '../pricing/prices.ts';
import type { DestinationChannel, Destinations } from './destination-settings.ts';
import { isWatched, watchedPrefix } from './destination-watch.ts';
import type { RoutePorts } from './ports.ts';
import { priceOf } from './quote.ts';

/** The properties of a number that determine its price. */
export const destinationOf = (e164: string, origin = numberOrigin(e164)): Destination => {
  const { callingCode = '', sharesRevenue = false } = origin ?? {};
  return { digits: e164.slice(1), callingCode, sharesRevenue };
};

const isClosed = (destinations: Destinations | undefined, channel: Channel, country: string | undefined): boolean => {
  const chosen = destinations?.[channel as DestinationChannel];
  return chosen?.mode === 'only' && !(country !== undefined && chosen.countries.includes(country));
};

/**
 * Why a recipient is refused as a destination: its country is closed (422), or its prefix held (412). Undefined if it
 * is not a phone number.
 */
export const destinationRefusal = async (
  ports: RoutePorts,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  { channel, to }: { readonly channel: Channel; readonly to: string },
  country = numberOrigin(to)?.country,
): Promise<Refusal<'VALIDATION_ERROR' | 'PRECONDITION_FAILED'> | undefined> => {
  if (channelOf(channel).recipient !== 'phone') return undefined;
  if (isClosed(await ports.destinations(organizationId), channel, country))
    return refuse('VALIDATION_ERROR', {
      detail: 'The organization does not send to this country on this channel.',
      meta: { motivo: 'destination_closed', ...(country === undefined ? {} : { country }) },
    });
  if (!isWatched({ channel, region: phoneRegion(to) })) return undefined;
  const until = await ports.heldUntil(organizationId, watchedPrefix(to));
  if (until === undefined) return undefined;
  return refuse('PRECONDITION_FAILED', {
    detail: 'Too few of the messages to these numbers were delivered: they are held.',
    meta: { motivo: 'destination_held', heldUntil: isoTime(until) },
  });
};

/**
 * The same check for text that may be sent as an SMS instead, so that it can't bypass SMS destinations that are closed
 * or held.
 */
const smsTextRefusal = async (
  ports: RoutePorts,
  tenant: Tenant,
  { smsField, to }: Pick<ChannelPlan, 'smsField' | 'to'>,
  country: string | undefined,
): Promise<Refusal<'VALIDATION_ERROR' | 'PRECONDITION_FAILED'> | undefined> => {
  if (smsField === undefined) return undefined;
  const refusal = await destinationRefusal(ports, tenant, { channel: 'sms', to }, country);
  const errors = [{ path: smsField, message: 'must be absent: the organization does not send SMS to this number now' }];
  return refusal && refuse(refusal.name, { ...refusal.details, errors });
};

/**
 * The price row of a message, by its recipient if that is a phone number. 412 without a row, 422 for a country that the
 * organization closed, 412 for a prefix that is held; in this order (docs/spec/sends.md#order-of-checks).
 */
export const routePrice = async (
  ports: RoutePorts,
  tenant: Tenant,
  { channel, route, to, smsField }: Pick<ChannelPlan, 'channel' | 'route' | 'to' | 'smsField'>,
): Promise<PriceRow | Refusal<'VALIDATION_ERROR' | 'PRECONDITION_FAILED'>> => {
  if (channelOf(channel).recipient !== 'phone') return priceOf(ports, channel, route);
  const origin = numberOrigin(to);
  const price = await priceOf(ports, channel, route, destinationOf(to, origin));
  if (isRefusal(price)) return price;
  const country = origin?.country;
  const refusal = await destinationRefusal(ports, tenant, { channel, to }, country);
  return refusal ?? (await smsTextRefusal(ports, tenant, { smsField, to }, country)) ?? price;
};
