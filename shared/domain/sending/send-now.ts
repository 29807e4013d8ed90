import type { Actor, Caller } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Channel } from '../message/channel.ts';
import type { MessageOf, MessageRecord } from '../message/message.ts';
import type { PlanRefusal } from '../message/plan.ts';
import { dispatchMessage } from './dispatch.ts';
import type { InitialState } from './draft.ts';
import { type RequestKey, replayOr, type Sent } from './idempotency.ts';
import type { PlannedSend, SendPlan, SendPlanOf } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { KEY_IN_PROGRESS, providersRest } from './refusals.ts';
import { type ReserveRefusal, reserveMessage } from './reserve.ts';

/** Upper bound of Retry-After while the first request is still running, in s. */
const MAX_RETRY_AFTER_S = 10;

/**
 * Retry-After for a request that has run since `startedAt` (ms): its age so far, 1 to 10 s. Most end within a second; for the others the
 * growing wait keeps the number of retries small.
 */
export const retryAfterSeconds = (startedAt: number, now: number): number =>
  Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil((now - startedAt) / 1000)));

/** The response to a synchronous send that was replayed or refused (docs/spec/sends.md#replay). */
const toSyncResponse = <C extends Channel>(ports: SendPorts, sent: Sent | SendRefusal): SentNow<C> | SendRefusal => {
  if (isRefusal(sent)) return sent;
  const { message } = sent;
  if (message.hold === 'captured') return { message: message as MessageOf<C>, replayed: true };
  if (message.hold === 'open')
    return refuse('CONFLICT', {
      ...KEY_IN_PROGRESS.details,
      meta: { ...KEY_IN_PROGRESS.details.meta, messageId: message.id },
      retryAfterSeconds: retryAfterSeconds(message.createdAt, ports.clock()),
    });
  return refuse('DEPENDENCY_FAILED', {
    detail: 'It could not be learned whether the provider sent the message; it was not charged.',
    meta: { messageId: message.id, reason: message.reason ?? 'indeterminate' },
  });
};

/** A message that was sent while its caller waited, now or by an earlier call. */
interface SentNow<C extends Channel> {
  readonly message: MessageOf<C>;
  readonly replayed: boolean;
}

/**
 * Sends while the caller waits. One transaction reserves key, money and message; then the provider is called; then one
 * transaction captures or releases the hold (docs/spec/sends.md#reserve-call-settle). The message is sent at most once
 * and charged only if it was sent, whatever fails in between. A refused plan returns an earlier send under the same
 * key, if any.
 */
export const sendNow = async <C extends Channel>(
  ports: SendPorts,
  tenant: Caller,
  key: RequestKey,
  planned: PlannedSend<SendPlanOf<C>> | PlanRefusal,
): Promise<SentNow<C> | SendRefusal> => {
  if (isRefusal(planned)) return toSyncResponse(ports, await replayOr(ports, tenant, key, planned));
  const { plan, outbound = plan.content } = planned;
  const { organizationId, env } = tenant;
  const candidates = await ports.routing.candidates(plan.channel, organizationId, env, plan.route, 'send');
  if (candidates.kind === 'ready' && candidates.restMs !== undefined)
    return toSyncResponse(ports, await replayOr(ports, tenant, key, providersRest(candidates.restMs)));
  const provider = candidates.kind === 'ready' ? candidates.providers[0]?.name : undefined;
  const initial: InitialState = { status: 'sending', provider };
  const reserved = await reserveMessage(ports, tenant, { plan: plan as unknown as SendPlan, key, initial });
  if (isRefusal(reserved) || reserved.replayed) return toSyncResponse(ports, reserved);
  const sent = await dispatchMessage(ports, reserved.message, outbound, candidates, false);
  return isRefusal(sent) ? sent : { message: sent as MessageOf<C>, replayed: false };
};

/** Refusals of a synchronous send. */
export type SendRefusal =
  | PlanRefusal
  | ReserveRefusal
  | Refusal<'CONFLICT' | 'DEPENDENCY_FAILED'>
  | Exclude<Awaited<ReturnType<typeof dispatchMessage>>, MessageRecord>;

/** The response to a send: the channel's view of the message, or the refusal, which is counted in metrics. */
export const answerSend = <C extends Channel, View>(
  ports: Pick<SendPorts, 'observe'>,
  actor: Actor,
  channel: C,
  sent: SentNow<C> | SendRefusal,
  view: (message: MessageOf<C>, unmasked: boolean, replayed: boolean) => View,
): View | SendRefusal => {
  if (!isRefusal(sent)) return view(sent.message, actor.scopes.has('pii:full'), sent.replayed);
  ports.observe.sent(channel, sent.name, { organizationId: actor.organizationId });
  return sent;
};
