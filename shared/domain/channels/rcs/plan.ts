import type { Tenant } from '../../core/actor.ts';
import { type FieldError, isRefusal, refuse } from '../../core/errors.ts';
import { linkShortener } from '../../links/shorten.ts';
import type { Planned, PlanRefusal } from '../../message/plan.ts';
import { phoneOf } from '../../message/recipient.ts';
import type { SenderChecks } from '../../senders/permission.ts';
import { prepareText } from '../sms/text.ts';
import type { RcsContent, RcsRoute } from './content.ts';
import { cardErrors, lengthErrors, prepareRcs } from './prepare.ts';
import type { RcsRequest } from './request.ts';

/** Ports of RCS planning. */
export interface RcsPlanPorts extends Pick<SenderChecks, 'defaultSender'> {
  /** The deployment's public URL, without a trailing slash. */
  readonly publicUrl: string;
}

const invalid = (errors: readonly FieldError[]) =>
  refuse('VALIDATION_ERROR', { detail: 'The message violates a rule of RCS.', errors });

/** The SMS of a fallback that costs more than the RCS message's price covers: of several segments, or in UCS-2. */
const otherPriceAsSms = ({ fallback }: RcsContent, route: RcsRoute) => {
  if (fallback === undefined) return undefined;
  const { encoding, segments } = prepareText(fallback.text);
  if (encoding === 'GSM-7' && segments === 1) return undefined;
  return { route: route === 'easy_otp_rcs' ? 'otp' : 'premium', segments };
};

/** Plans an RCS message. 422 for an invalid phone or content. */
export const planRcs = async (
  ports: RcsPlanPorts,
  { organizationId, env }: Tenant,
  request: RcsRequest,
): Promise<Planned<'rcs'> | PlanRefusal> => {
  const { route } = request;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const invalidFields = cardErrors(request);
  if (invalidFields.length > 0) return invalid(invalidFields);
  const shortener = linkShortener(ports.publicUrl, env);
  const content = prepareRcs(request, request.trackLinks ? shortener.shorten : undefined);
  const tooLong = lengthErrors(content);
  if (tooLong.length > 0) return invalid(tooLong);
  const senderId = await ports.defaultSender(organizationId, 'rcs');
  // Priced per message, not per segment (docs/spec/rcs.md#rcs-price), unless its fallback is a larger SMS.
  return {
    plan: {
      channel: 'rcs',
      route,
      to,
      type: content.card ? 'interactive' : 'text',
      content: { ...content, senderId },
      asSms: otherPriceAsSms(content, route),
      smsField: content.fallback && 'fallback',
      requiresConsent: route !== 'easy_otp_rcs',
      links: shortener.links,
    },
  };
};
