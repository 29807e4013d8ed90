import type { Actor } from '../actor.ts';
import { isRefusal, refuse } from '../errors.ts';
import { linkShortener } from '../links/shorten.ts';
import { type PlanOf, requestHash, type Tenant } from '../messages/plan.ts';
import type { SendPorts } from '../messages/ports.ts';
import { priceOf } from '../messages/quote.ts';
import { phoneOf } from '../messages/recipient.ts';
import { answerSend, sendNow, unlessReused } from '../messages/send.ts';
import { phoneRegion } from '../phone.ts';
import type { RcsRoute } from './content.ts';
import { bodyFaults, type Fault, preparedFaults, prepareRcs, type RcsBody } from './prepare.ts';
import { sentRcsView } from './views.ts';

/** The parsed body of a send (interface 4.6). */
export interface RcsRequest extends RcsBody {
  readonly to: string;
  readonly route: RcsRoute;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly metadata?: Readonly<Record<string, string | number | boolean>> | undefined;
  readonly trackLinks?: boolean | undefined;
}

const broken = (errors: readonly Fault[]) =>
  refuse('VALIDATION_ERROR', { detail: 'The message breaks a rule of RCS.', errors });

/** Makes the plan of an RCS message: 422 for what is no phone and for content that breaks a rule, 412 for a route without a table price. */
export const planRcs = async (
  ports: SendPorts,
  { organizationId, env }: Tenant,
  key: string,
  hash: string,
  request: RcsRequest,
) => {
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const wrong = bodyFaults(request);
  if (wrong.length > 0) return broken(wrong);
  const shortener = linkShortener(ports.publicUrl, env);
  const content = prepareRcs(request, request.trackLinks ? shortener.shorten : undefined);
  const tooLong = preparedFaults(content);
  if (tooLong.length > 0) return broken(tooLong);
  const { route, contactId, campaignId, metadata } = request;
  const price = await priceOf(ports, 'rcs', route);
  if (isRefusal(price)) return unlessReused(ports, { organizationId, env }, { key, hash }, price);
  const plan: PlanOf<'rcs'> = {
    channel: 'rcs',
    route,
    price,
    to,
    region: phoneRegion(to),
    type: content.card ? 'interactive' : 'text',
    content,
    // Price per message, not per segment: a long card costs the same as a short text.
    units: 1,
    mayOptOut: route !== 'easy_otp_rcs',
    contactId,
    campaignId,
    metadata,
    links: shortener.links,
    key,
    hash,
  };
  return plan;
};

/** Sends an RCS message (interface 4.6): answers once the provider accepted or refused. */
export const sendRcs = async (ports: SendPorts, actor: Actor, key: string, request: RcsRequest) => {
  const plan = await planRcs(ports, actor, key, requestHash('rcs.send', request), request);
  const sent = isRefusal(plan) ? plan : await sendNow(ports, actor, plan);
  return answerSend(ports, actor, 'rcs', sent, sentRcsView);
};
