import { isRefusal, type Refusal, refuse } from '../errors.ts';
import type { Tenant } from '../messages/plan.ts';
import { asCoins, type Coins } from '../money.ts';
import { priceRowOf, quoteUnits } from '../pricing/prices.ts';
import { audienceOf } from './audience.ts';
import { type AudienceWish, type PushContent, type RateKind, rateKindOf } from './message.ts';
import type { PricePorts } from './ports.ts';
import type { PushPlatform } from './transport.ts';

export const UNKNOWN_SEGMENT = refuse('VALIDATION_ERROR', {
  detail: 'There is no such segment.',
  errors: [{ path: 'segment', message: 'is no segment of the organization' }],
});
const unpriced = refuse('VALIDATION_ERROR', 'The price table has no price for this kind of push.');

/** What one device costs, in coins; every device at the first band's price. 422 where the table has no price for the kind. */
export const priceOfDevice = async (
  ports: Pick<PricePorts, 'prices'>,
  kind: RateKind,
): Promise<Coins | Refusal<'VALIDATION_ERROR'>> => {
  const row = priceRowOf(await ports.prices(), 'push', kind);
  return row ? quoteUnits(row, 1, 0).coins : unpriced;
};

/** What a send refuses with 422 is 400 here, in the same words: the operation documents no other (interface 4.9). */
const asBadRequest = ({ details }: Refusal<'VALIDATION_ERROR'>) => refuse('BAD_REQUEST', details);

/** What a push message would reach and cost; nothing is made or charged. 400 for a segment that there is not, and for a kind without a price. */
export const previewPush = async (
  ports: PricePorts,
  tenant: Tenant,
  platforms: readonly PushPlatform[],
  wish: AudienceWish,
  content: Pick<PushContent, 'imageUrl' | 'actions' | 'silent'>,
) => {
  const rateKind = rateKindOf(content);
  const each = await priceOfDevice(ports, rateKind);
  if (isRefusal(each)) return asBadRequest(each);
  const audience = await audienceOf(ports.audiences, tenant, platforms, wish);
  if (!audience) return asBadRequest(UNKNOWN_SEGMENT);
  const reach = await audience.count();
  return { reach, rateKind, price: { coins: asCoins(reach * each), coinsEach: each }, charged: true };
};
