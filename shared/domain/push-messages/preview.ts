import { type AudienceSelector, type RateKind, rateKindOf } from '../channels/push/message.ts';
import type { PushContent } from '../channels/push/notification.ts';
import type { PushPlatform } from '../channels/push/transport.ts';
import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { asCoins, type Coins } from '../core/money.ts';
import { refuseField } from '../core/refuse-field.ts';
import { type BandRange, type PriceRow, priceRowOf } from '../pricing/prices.ts';
import { NO_VOLUME, quoteUnits } from '../pricing/volume.ts';
import { audienceOf } from './audience.ts';
import type { PricePorts } from './ports.ts';

export const UNKNOWN_SEGMENT = refuseField(
  'There is no such segment or list.',
  'segment',
  'is not a segment or list of the organization',
);
const unpriced = refuse('VALIDATION_ERROR', 'The price table has no price for this kind of push.');

/** The price of a device, always in the first band: its price row, the band, and the coins. */
export interface DevicePrice {
  readonly price: PriceRow;
  readonly band: BandRange;
  readonly coinsEach: Coins;
}

/** The price of one device (docs/spec/push.md#push-price). 422 where the table has no price for the kind. */
export const priceOfDevice = async (
  ports: Pick<PricePorts, 'prices'>,
  kind: RateKind,
): Promise<DevicePrice | Refusal<'VALIDATION_ERROR'>> => {
  const price = priceRowOf(await ports.prices(), 'push', kind);
  if (!price) return unpriced;
  const { band, coins: coinsEach } = quoteUnits(price, 1, NO_VOLUME);
  return { price, band, coinsEach };
};

/** The preview answers 400 where a send answers 422, with the same texts (docs/spec/push.md#push-preview). */
const asBadRequest = ({ details }: Refusal<'VALIDATION_ERROR'>) => refuse('BAD_REQUEST', details);

/** Previews reach and price of a push message; nothing is created or charged. 400 for an unknown segment or list, and for a kind without a price. */
export const previewPush = async (
  ports: PricePorts,
  tenant: Tenant,
  platforms: readonly PushPlatform[],
  selector: AudienceSelector,
  content: Pick<PushContent, 'imageUrl' | 'actions' | 'silent'>,
) => {
  const rateKind = rateKindOf(content);
  const priced = await priceOfDevice(ports, rateKind);
  if (isRefusal(priced)) return asBadRequest(priced);
  const { coinsEach } = priced;
  const audience = await audienceOf(ports.audiences, tenant, platforms, selector);
  if (!audience) return asBadRequest(UNKNOWN_SEGMENT);
  const reach = await audience.count();
  return { reach, rateKind, price: { coins: asCoins(reach * coinsEach), coinsEach }, charged: true };
};
