import { isRefusal, refuse } from '../errors.ts';
import { linkShortener } from '../links/shorten.ts';
import type { Asked } from '../messages/plan.ts';
import { planWith, sendingBy } from '../messages/planning.ts';
import type { SendPorts } from '../messages/ports.ts';
import { phoneOf } from '../messages/recipient.ts';
import type { SendRequest } from '../messages/unified.ts';
import type { RcsRoute } from './content.ts';
import { bodyFaults, type Fault, preparedFaults, prepareRcs, type RcsBody } from './prepare.ts';
import { sentRcsView } from './views.ts';

/** The parsed body of a send (interface 4.6). */
export interface RcsRequest extends RcsBody, SendRequest {
  readonly route: RcsRoute;
  readonly trackLinks?: boolean | undefined;
}

const broken = (errors: readonly Fault[]) =>
  refuse('VALIDATION_ERROR', { detail: 'The message breaks a rule of RCS.', errors });

/** Makes the plan of an RCS message: 422 for what is no phone and for content that breaks a rule, 412 for a route without a table price. */
export const planRcs = async (ports: SendPorts, ...asked: Asked<RcsRequest>) => {
  const [{ env }, request] = asked;
  const { route } = request;
  const to = phoneOf(request.to);
  if (isRefusal(to)) return to;
  const wrong = bodyFaults(request);
  if (wrong.length > 0) return broken(wrong);
  const shortener = linkShortener(ports.publicUrl, env);
  const content = prepareRcs(request, request.trackLinks ? shortener.shorten : undefined);
  const tooLong = preparedFaults(content);
  if (tooLong.length > 0) return broken(tooLong);
  // Price per message, not per segment: a long card costs the same as a short text.
  return planWith(ports, asked, {
    channel: 'rcs',
    route,
    to,
    type: content.card ? 'interactive' : 'text',
    content,
    mayOptOut: route !== 'easy_otp_rcs',
    links: shortener.links,
  });
};

/** Sends an RCS message (interface 4.6). */
export const sendRcs = sendingBy('rcs', planRcs, sentRcsView);
