import type { Channel } from '../../shared/domain/message/channel.ts';
import type { ReportedStatus } from '../../shared/domain/message/provider-port.ts';
import type { PriceTable } from '../../shared/domain/pricing/prices.ts';
import { type RequestKey, requestKey } from '../../shared/domain/sending/idempotency.ts';
import type { SendPlan } from '../../shared/domain/sending/plan.ts';
import { priceOf } from '../../shared/domain/sending/quote.ts';
import { accepted } from './accepted.ts';
import type { World } from './world.ts';

const PHONE = '+5511987654321';
const text = (body: string) => ({ payload: { text: body } });

/** The least that each channel sends, and the reports that its providers make. */
const CHANNEL_PLANS: Readonly<
  Record<Channel, { to: string; route: string; content: (body: string) => unknown; reports: readonly ReportedStatus[] }>
> = {
  sms: {
    to: PHONE,
    route: 'premium',
    content: (body) => ({ text: body, encoding: 'GSM-7', length: body.length, segments: 1 }),
    reports: ['sent', 'delivered', 'failed', 'undelivered'],
  },
  rcs: {
    to: PHONE,
    route: 'easy_rcs',
    content: (body) => ({ text: body, fallback: { text: body, encoding: 'GSM-7' } }),
    reports: ['sent', 'delivered', 'read', 'failed'],
  },
  email: {
    to: 'ana@loja.example',
    route: 'email',
    content: (body) => ({ from: 'ola@loja.example', subject: body, bodyBytes: body.length }),
    reports: ['delivered', 'bounced', 'complained', 'failed'],
  },
  whatsapp: { to: PHONE, route: 'session', content: text, reports: ['sent', 'delivered', 'read', 'failed'] },
  push: {
    to: 'device-1',
    route: 'simple',
    content: (body) => ({ ...text(body), platforms: ['ios'], extents: [1] }),
    reports: ['delivered', 'failed'],
  },
  instagram: { to: '17841400000000001', route: 'session', content: text, reports: ['delivered', 'read', 'failed'] },
};

/** A price table of SMS alone: bands by their upper ends (null: none) with their coins. */
export const premiumPrices = (...bands: readonly (readonly [upTo: number | null, coins: number])[]): PriceTable => [
  { channel: 'sms', route: 'premium', unit: 'segment', bands: bands.map(([upTo, coins]) => ({ upTo, coins })) },
];

export const recipientOn = (channel: Channel): string => CHANNEL_PLANS[channel].to;
export const routeOn = (channel: Channel): string => CHANNEL_PLANS[channel].route;
export const reportsOf = (channel: Channel): readonly ReportedStatus[] => CHANNEL_PLANS[channel].reports;

/** The key of a message of the channel; the same body under the same key is the same request. */
export const keyOn = (channel: Channel, callerKey: string, body: string): RequestKey =>
  requestKey(callerKey, `${channel}.send`, { to: CHANNEL_PLANS[channel].to, body });

/** The plan of a message of the channel. */
export const planOn = async (world: World, channel: Channel, body: string): Promise<SendPlan> => {
  const { to, route, content } = CHANNEL_PLANS[channel];
  const price = accepted(await priceOf(world.ports, channel, route));
  return {
    channel,
    route,
    price,
    to,
    type: 'text',
    content: content(body),
    units: 1,
    requiresConsent: true,
    links: [],
  } as SendPlan;
};
