import type { Tenant } from '../core/actor.ts';
import type { SendRequest } from '../message/send-request.ts';
import { type SubmitPorts, submit } from '../sending/accept.ts';
import type { AutomatedSend } from '../sending/automated.ts';
import { replayOr } from '../sending/idempotency.ts';
import { priceSteps } from '../sending/steps.ts';
import { matchedStepsOf, requestFault, toSendRequest, type V1SendRequest } from './v1-send.ts';

/**
 * The message of a journey's step or a campaign: the body of /v1/messages, and the additional fields of its channel's
 * own operation.
 */
export interface AutomatedRequest extends V1SendRequest, Pick<SendRequest, 'route' | 'payload'> {}

/** The first send, with its labels. Its links and those of its fallbacks are tracked. */
export const automatedSend = (
  body: AutomatedRequest,
  { labels }: Pick<AutomatedSend, 'labels'>,
  more: SendRequest['labels'] = {},
): SendRequest => ({ ...toSendRequest(body, { ...more, ...labels }), trackLinks: true });

/**
 * Accepts a message of a journey or a campaign with its fallbacks, as /v1/messages would, once per key: a repeat
 * returns the message that was accepted first. 409 with `meta.code` JA_ENVIADA and the message's id if that message has
 * left the table since.
 */
export const sendAutomated = async (
  ports: SubmitPorts,
  tenant: Tenant,
  automated: AutomatedSend,
  body: AutomatedRequest,
) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const { key, frequency } = automated;
  const request = automatedSend(body, automated);
  const steps = matchedStepsOf(ports, tenant, request, body).then((matched) =>
    priceSteps(ports, tenant, matched, ports.consentFault),
  );
  const sent = await submit(ports, tenant, { request, key, maxCoins: body.maxCoins, steps, frequency });
  return replayOr(ports, tenant, key, sent);
};
