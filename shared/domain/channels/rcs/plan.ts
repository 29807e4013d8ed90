import type { Tenant } from '../../core/actor.ts';
import { type FieldError, isRefusal, refuse } from '../../core/errors.ts';
import { linkShortener } from '../../links/shorten.ts';
import type { Planned, PlanRefusal } from '../../message/plan.ts';
import { phoneOf } from '../../message/recipient.ts';
import type { SenderChecks } from '../../senders/permission.ts';
import { cardErrors, lengthErrors, prepareRcs } from './prepare.ts';
import type { RcsRequest } from './request.ts';

/** Ports of RCS planning. */
export interface RcsPlanPorts extends Pick<SenderChecks, 'defaultSender'> {
  /** The deployment's public URL, without a trailing slash. */
  readonly publicUrl: string;
}

const invalid = (errors: readonly FieldError[]) =>
  refuse('VALIDATION_ERROR', { detail: 'The message breaks a rule of RCS.', errors });

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
  // Priced per message, not per segment (docs/spec/rcs.md#rcs-price).
  return {
    plan: {
      channel: 'rcs',
      route,
      to,
      type: content.card ? 'interactive' : 'text',
      content: { ...content, senderId },
      requiresConsent: route !== 'easy_otp_rcs',
      links: shortener.links,
    },
  };
};
