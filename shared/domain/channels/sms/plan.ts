import type { Tenant } from '../../core/actor.ts';
import { isRefusal } from '../../core/errors.ts';
import type { Id } from '../../core/ids.ts';
import { replaceLinks } from '../../links/find.ts';
import { linkShortener } from '../../links/shorten.ts';
import type { Planned, PlanRefusal } from '../../message/plan.ts';
import { phoneOf } from '../../message/recipient.ts';
import { notOwnSender, type SenderChecks } from '../../senders/permission.ts';
import { senderValue } from '../../senders/sender.ts';
import type { SmsRequest } from './request.ts';
import { prepareText } from './text.ts';

/** Ports of SMS planning. */
export interface SmsPlanPorts extends SenderChecks {
  /** The deployment's public URL, without a trailing slash. */
  readonly publicUrl: string;
  /** The organization's contracted SMS per second; undefined means unlimited. */
  readonly perSecond: (organizationId: Id<'organization'>) => Promise<number | undefined>;
}

/** Plans an SMS. 422 for an invalid phone or too many tracked links, 412 for a sender of somebody else. */
export const planSms = async (
  ports: SmsPlanPorts,
  tenant: Tenant,
  request: SmsRequest,
): Promise<Planned<'sms'> | PlanRefusal> => {
  const { organizationId, env } = tenant;
  const { route } = request;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const shortener = linkShortener(ports.publicUrl, env);
  const body = request.trackLinks ? replaceLinks(request.body, shortener.shorten).text : request.body;
  const tooMany = shortener.refusal('body');
  if (tooMany) return tooMany;
  const { text, encoding, length, segments } = prepareText(body);
  const named = request.senderId;
  if (named !== undefined && !(await ports.mayUseSender(tenant, 'sms', named))) return notOwnSender('senderId');
  const senderId = (named && senderValue('sms', named)) ?? (await ports.defaultSender(organizationId, 'sms'));
  return {
    plan: {
      channel: 'sms',
      route,
      to,
      type: 'text',
      content: { text, encoding, length, segments, senderId },
      units: segments,
      requiresConsent: route !== 'otp',
      links: shortener.links,
      perSecond: await ports.perSecond(organizationId),
    },
  };
};
