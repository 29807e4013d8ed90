import { isRefusal } from '../errors.ts';
import { replaceLinks } from '../links/find.ts';
import { linkShortener } from '../links/shorten.ts';
import type { Asked } from '../messages/plan.ts';
import { planWith, sendingBy } from '../messages/planning.ts';
import type { SendPorts } from '../messages/ports.ts';
import { phoneOf } from '../messages/recipient.ts';
import type { SendRequest } from '../messages/unified.ts';
import type { SmsRoute } from './provider.ts';
import { prepareText } from './text.ts';
import { sentSmsView } from './views.ts';

/** The parsed body of a send (interface 4.1). */
export interface SmsRequest extends SendRequest {
  readonly body: string;
  readonly senderId?: string | undefined;
  readonly route: SmsRoute;
  readonly trackLinks?: boolean | undefined;
}

/** What SMS needs besides the common ports. */
export interface SmsPorts extends SendPorts {
  /** Sends per second that the organization contracted; undefined when there is no ceiling. */
  readonly perSecond: (organizationId: string) => Promise<number | undefined>;
}

/** Makes the plan of an SMS: 422 for what is no phone or has too many links, 412 for a route without a table price. */
export const planSms = async (ports: SmsPorts, ...asked: Asked<SmsRequest>) => {
  const [{ organizationId, env }, request] = asked;
  const { route, senderId } = request;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const shortener = linkShortener(ports.publicUrl, env);
  const body = request.trackLinks ? replaceLinks(request.body, shortener.shorten).text : request.body;
  const tooMany = shortener.refusal('body');
  if (tooMany) return tooMany;
  const { text, encoding, length, segments } = prepareText(body);
  return planWith(ports, asked, {
    channel: 'sms',
    route,
    to,
    type: 'text',
    content: { text, encoding, length, segments, senderId },
    units: segments,
    mayOptOut: route !== 'otp',
    links: shortener.links,
    perSecond: await ports.perSecond(organizationId),
  });
};

/** Sends an SMS (interface 4.1). */
export const sendSms = sendingBy('sms', planSms, sentSmsView);
