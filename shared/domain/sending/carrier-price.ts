import { isRefusal, type Refusal } from '../core/errors.ts';
import { asCoins, type Coins } from '../core/money.ts';
import type { CarrierCoins, MessageRecord } from '../message/message.ts';
import type { ChannelPlan } from '../message/plan.ts';
import { bandAt, type PriceRow } from '../pricing/prices.ts';
import { destinationOf } from './destinations.ts';
import type { QuotePorts } from './ports.ts';
import { priceOf } from './quote.ts';

/**
 * The price of a message that may be sent as an SMS instead: the higher of the two is held. The SMS takes no position
 * of the month, so it costs the first band's price. 412 if the table has no price for it
 * (docs/spec/rcs.md#rcs-fallback-text).
 */
export const carrierPrice = async (
  ports: Pick<QuotePorts, 'prices'>,
  { to }: Pick<ChannelPlan, 'to'>,
  { route, segments }: NonNullable<ChannelPlan['asSms']>,
  own: PriceRow,
): Promise<{ price: PriceRow; carrierCoins: CarrierCoins } | Refusal<'PRECONDITION_FAILED'>> => {
  const sms = await priceOf(ports, 'sms', route, destinationOf(to));
  if (isRefusal(sms)) return sms;
  const carrierCoins = { rcs: bandAt(own, 1).coins, sms: asCoins(bandAt(sms, 1).coins * segments) };
  const coins = Math.max(carrierCoins.rcs, carrierCoins.sms);
  return { price: { ...own, bands: [{ upTo: null, coins }] }, carrierCoins };
};

/**
 * The coins to refund once a report names the carrier; undefined before, and if nothing is refunded. A failed message
 * was not sent as an SMS unless its provider reports so.
 */
export const carrierRefund = (
  { carrierCoins, refunded, coins, hold }: MessageRecord,
  { status, via }: { readonly status: MessageRecord['status']; readonly via?: 'rcs' | 'sms' | undefined },
): Coins | undefined => {
  const isKnown = via !== undefined || status === 'failed';
  if (!carrierCoins || refunded !== undefined || hold !== 'captured' || !isKnown) return undefined;
  const back = coins - carrierCoins[via ?? 'rcs'];
  return back > 0 ? asCoins(back) : undefined;
};
