import type { Actor } from '../actor.ts';
import { isRefusal } from '../errors.ts';
import { replaceLinks } from '../links/find.ts';
import { linkShortener } from '../links/shorten.ts';
import { type PlanOf, requestHash } from '../messages/plan.ts';
import type { SendPorts } from '../messages/ports.ts';
import { priceOf } from '../messages/quote.ts';
import { phoneOf } from '../messages/recipient.ts';
import { answerSend, sendNow, unlessReused } from '../messages/send.ts';
import { phoneRegion } from '../phone.ts';
import type { SmsRoute } from './provider.ts';
import { prepareText } from './text.ts';
import { sentSmsView } from './views.ts';

/** The parsed body of a send (interface 4.1). */
export interface SmsRequest {
  readonly to: string;
  readonly body: string;
  readonly senderId?: string | undefined;
  readonly route: SmsRoute;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly trackLinks?: boolean | undefined;
}

/** What SMS needs besides the common ports. */
export interface SmsPorts extends SendPorts {
  /** Sends per second that the organization contracted; undefined when there is no ceiling. */
  readonly perSecond: (organizationId: string) => Promise<number | undefined>;
}

/** Makes the plan of an SMS: 422 for what is no phone, 412 for a route without a table price. */
export const planSms = async (
  ports: SmsPorts,
  { organizationId, env }: Pick<Actor, 'organizationId' | 'env'>,
  key: string,
  hash: string,
  request: SmsRequest,
) => {
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const price = await priceOf(ports, 'sms', request.route);
  if (isRefusal(price)) return unlessReused(ports, { organizationId, env }, { key, hash }, price);
  const shortener = linkShortener(ports.publicUrl, env);
  const body = request.trackLinks ? replaceLinks(request.body, shortener.shorten).text : request.body;
  const tooMany = shortener.refusal('body');
  if (tooMany) return tooMany;
  const { text, encoding, length, segments } = prepareText(body);
  const { route, contactId, campaignId, metadata, senderId } = request;
  const plan: PlanOf<'sms'> = {
    channel: 'sms',
    route,
    price,
    to,
    region: phoneRegion(to),
    type: 'text',
    content: { text, encoding, length, segments, senderId },
    units: segments,
    mayOptOut: route !== 'otp',
    contactId,
    campaignId,
    metadata,
    links: shortener.links,
    key,
    hash,
    perSecond: await ports.perSecond(organizationId),
  };
  return plan;
};

/** Sends an SMS (interface 4.1): answers once the provider accepted or refused. */
export const sendSms = async (ports: SmsPorts, actor: Actor, key: string, request: SmsRequest) => {
  const plan = await planSms(ports, actor, key, requestHash('sms.send', request), request);
  const sent = isRefusal(plan) ? plan : await sendNow(ports, actor, plan);
  return answerSend(ports, actor, 'sms', sent, sentSmsView);
};
