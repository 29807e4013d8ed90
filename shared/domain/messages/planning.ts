import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal } from '../errors.ts';
import { phoneRegion } from '../phone.ts';
import { rulesOf } from './channels.ts';
import type { MessageOf } from './message.ts';
import { type Asked, type PlanOf, requestHash } from './plan.ts';
import type { SendPorts } from './ports.ts';
import type { Channel } from './provider.ts';
import { priceOf } from './quote.ts';
import { answerSend, type Leaving, type SendRefusal, sendNow } from './send.ts';
import type { SendRequest } from './unified.ts';

/** What every plan needs from outside. */
export type PlanPorts = Pick<SendPorts, 'clock' | 'prices'>;

/** What a channel's own rules say of a plan; one unit without links where they say nothing of them. */
type OwnPart<C extends Channel> = Pick<
  PlanOf<C>,
  'channel' | 'route' | 'to' | 'type' | 'content' | 'mayOptOut' | 'labels' | 'perSecond'
> &
  Partial<Pick<PlanOf<C>, 'units' | 'links'>>;

/**
 * Makes the plan of what a channel found right in a request: the part that is the same on every channel. The price is asked for last
 * (decisions, part 4: the order of checks): 412 for a route without one.
 */
export const planWith = async <C extends Channel>(
  ports: PlanPorts,
  [, { contactId, campaignId, metadata }, key, hash]: Asked<SendRequest>,
  own: OwnPart<C>,
): Promise<{ readonly plan: PlanOf<C> } | Refusal<'PRECONDITION_FAILED'>> => {
  const price = await priceOf(ports, own.channel, own.route);
  if (isRefusal(price)) return price;
  const region = rulesOf(own.channel).recipient === 'phone' ? phoneRegion(own.to) : undefined;
  const common = {
    price,
    contactId,
    campaignId,
    metadata,
    key,
    hash,
    units: 1,
    links: [],
    ...(region ? { region } : {}),
  };
  return { plan: { ...common, ...own } };
};

/**
 * The operation of a channel that sends while its caller waits: answers once the provider accepted or refused (interface 4.1, 4.5, 4.6).
 */
export const sendingBy =
  <P extends SendPorts, R, C extends Channel, View>(
    channel: C,
    plan: (ports: P, ...asked: Asked<R>) => Promise<Leaving<C> | SendRefusal>,
    view: (message: MessageOf<C>, unmasked: boolean, replayed: boolean) => View,
  ) =>
  async (ports: P, actor: Actor, key: string, request: R): Promise<View | SendRefusal> => {
    const hash = requestHash(`${channel}.send`, request);
    const planned = await plan(ports, actor, request, key, hash);
    return answerSend(ports, actor, channel, await sendNow(ports, actor, { key, hash }, planned), view);
  };
