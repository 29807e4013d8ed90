import { channelOf } from '../channels/registry.ts';
import type { Actor, Tenant } from '../core/actor.ts';
import { parseAddress } from '../core/email-address.ts';
import { isRefusal, refuse, toV1Error } from '../core/errors.ts';
import { jsonBytes } from '../core/json-bytes.ts';
import { parsePhone } from '../core/phone.ts';
import type { Priority } from '../core/priority.ts';
import { isoTime } from '../core/time.ts';
import { type FallbackStep, needsMatch } from '../message/fallback.ts';
import type { Labels } from '../message/message.ts';
import type { PlanRefusal } from '../message/plan.ts';
import type { RefusedAnswer } from '../message/provider-port.ts';
import type { SendRequest } from '../message/send-request.ts';
import { type AnswerPorts, acceptedView, type SubmitPorts, scheduleFault, submit } from '../sending/accept.ts';
import { type RequestKey, replayOr, requestKey } from '../sending/idempotency.ts';
import type { SendPlan } from '../sending/plan.ts';
import { type QuietHours, quietUntil } from '../sending/quiet-hours.ts';
import { quote } from '../sending/quote.ts';
import { type ConsentFault, precheckRefusal, RECIPIENT_REASONS, stoppedRefusal } from '../sending/refusals.ts';
import { MAX_STORED_BYTES, tooLarge } from '../sending/size.ts';
import {
  completeSteps,
  DEFAULT_WAIT_MS,
  matchContact,
  NO_RECIPIENT,
  planStep,
  priceSteps,
  type StepRequest,
  templateLabels,
} from '../sending/steps.ts';

/** The parsed body of /v1/messages (docs/spec/v1.md#request). Waits are in ms. */
export interface V1SendRequest extends Omit<SendRequest, 'type' | 'scheduledAt' | 'payload' | 'route'> {
  readonly fallback?: readonly (SendRequest['channel'] | StepRequestBody)[] | undefined;
  readonly fallback_after?: number | undefined;
  readonly maxCoins?: number | undefined;
  readonly priority?: Priority | undefined;
  /** ISO 8601. */
  readonly scheduledAt?: string | undefined;
}
interface StepRequestBody extends Omit<StepRequest, 'afterMs'> {
  readonly after?: number | undefined;
}

/** Recipient and balance data that a preview is checked against. */
export interface PreviewContext {
  /** The available balance, in coins. */
  readonly balance: number;
  readonly quietHours?: QuietHours | undefined;
  /** Per plan: the consent fault, and the reason that would stop it before its provider is called. */
  readonly byPlan: ReadonlyMap<
    SendPlan,
    { readonly consent?: ConsentFault | undefined; readonly stop?: RefusedAnswer | undefined } | undefined
  >;
}

/** Ports of previews. */
export interface PreviewPorts extends SubmitPorts {
  readonly previewContext: (tenant: Tenant, plans: readonly SendPlan[]) => Promise<PreviewContext>;
}

/** 400 with a v1 code for a recipient in the wrong format for its channel (docs/spec/errors.md#malformed-recipients). */
export const recipientFault = ({ channel, to }: Pick<SendRequest, 'channel' | 'to'>, path = 'to') => {
  const { recipient } = channelOf(channel);
  const errors = (message: string) => [{ path, message }];
  if (recipient === 'phone' && !parsePhone(to))
    return refuse('BAD_REQUEST', {
      detail: 'The recipient is not a phone number.',
      v1Code: 'invalid_phone',
      errors: errors('must be an existing number in E.164'),
    });
  if (recipient === 'email' && !parseAddress(to))
    return refuse('BAD_REQUEST', {
      detail: 'The recipient is not an e-mail address.',
      v1Code: 'invalid_recipient',
      errors: errors('must be an e-mail address'),
    });
  return undefined;
};

/** The first send of a v1 request, without its fallbacks; `labels` are added to those of its template. */
export const toSendRequest = (body: V1SendRequest, labels: Labels = {}): SendRequest => {
  const { fallback: _, fallback_after: __, maxCoins: ___, scheduledAt, ...rest } = body;
  return {
    ...rest,
    type: body.template === undefined ? 'text' : 'template',
    labels: { ...templateLabels(body), ...labels },
    ...(scheduledAt === undefined ? {} : { scheduledAt: Date.parse(scheduledAt) }),
  };
};

/** The fallback steps of a v1 request. */
export const stepRequestsOf = ({ fallback = [] }: V1SendRequest): StepRequest[] =>
  fallback.map((entry) => {
    if (typeof entry === 'string') return { channel: entry };
    const { after, ...step } = entry;
    return { ...step, ...(after === undefined ? {} : { afterMs: after }) };
  });

const waitMsOf = ({ fallback_after }: V1SendRequest): number => fallback_after ?? DEFAULT_WAIT_MS;

/** The fallback steps of a v1 request, completed from its first send. */
export const stepsOf = (request: SendRequest, body: V1SendRequest): readonly FallbackStep[] =>
  completeSteps(request, stepRequestsOf(body), waitMsOf(body));

/** The same, with the contact of steps whose recipient is only known through the first send's contact. */
export const matchedStepsOf = (
  ports: Pick<SubmitPorts, 'contactAt'>,
  tenant: Tenant,
  request: SendRequest,
  body: V1SendRequest,
): Promise<readonly FallbackStep[]> => matchContact(ports, tenant, request, stepsOf(request, body));

/** Refusals that do not depend on the channel's rules: recipient formats, size and schedule. */
export const requestFault = (body: V1SendRequest, now: number) => {
  const fault = recipientFault(body);
  if (fault) return fault;
  for (const [index, step] of stepRequestsOf(body).entries()) {
    const wrong =
      step.to === undefined
        ? undefined
        : recipientFault({ channel: step.channel, to: step.to }, `fallback.${index}.to`);
    if (wrong) return wrong;
  }
  if (jsonBytes(stepsOf(toSendRequest(body), body)) > MAX_STORED_BYTES) return tooLarge('fallback');
  return scheduleFault(body.scheduledAt, now);
};

/**
 * Whether the response may show a step's price or refusal, which are stored in any case. Callers that see no addresses
 * don't learn what a matched contact has on other channels; otherwise a send that is then cancelled would reveal it for free.
 */
const visibleTo =
  ({ scopes }: Actor, request: SendRequest) =>
  (step: FallbackStep): boolean =>
    scopes.has('pii:full') || !needsMatch(request, step);

/**
 * Accepts the send with its fallbacks: only the first step can refuse it (docs/spec/v1.md#fallbacks-that-cannot-be-sent).
 */
const submitWithFallback = (ports: SubmitPorts, actor: Actor, key: RequestKey, body: V1SendRequest) => {
  const request = toSendRequest(body);
  const steps = matchedStepsOf(ports, actor, request, body).then((matched) =>
    priceSteps(ports, actor, matched, ports.consentFault),
  );
  return submit(ports, actor, { request, key, maxCoins: body.maxCoins, steps });
};

/**
 * The key of a v1 request, alone or in a batch, so that both replay each other. The operation's name is part of stored
 * hashes: changing it would refuse repeats of keys in use.
 */
export const v1RequestKey = (callerKey: string, body: V1SendRequest): RequestKey =>
  requestKey(callerKey, 'overview.send', body);

/**
 * Accepts a message on any channel, with its fallbacks (docs/spec/v1.md#fallbacks). A replay returns the first
 * response.
 */
export const sendV1 = async (
  ports: SubmitPorts & AnswerPorts,
  actor: Actor,
  callerKey: string,
  body: V1SendRequest,
) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const key = v1RequestKey(callerKey, body);
  const fresh = await submitWithFallback(ports, actor, key, body);
  const sent = await replayOr(ports, actor, key, fresh);
  if (isRefusal(sent)) {
    ports.observe.sent(body.channel, sent.name, { organizationId: actor.organizationId });
    return sent;
  }
  const request = toSendRequest(body);
  return acceptedView(ports, sent, stepsOf(request, body), visibleTo(actor, request));
};

/** A step of the preview, and its plan. */
interface PlannedStep {
  readonly step: FallbackStep;
  readonly plan: SendPlan | PlanRefusal;
}

const plannedStep = async (ports: PreviewPorts, actor: Actor, step: FallbackStep): Promise<PlannedStep> => {
  const planned = await planStep(ports, actor, step);
  return { step, plan: isRefusal(planned) ? planned : planned.plan };
};

/** When each step would be sent if no step before it delivered, in ms; the first at `from` or when quiet hours end. */
const sendTimesOf = (
  quietHours: QuietHours | undefined,
  from: number,
  steps: readonly FallbackStep[],
): ReadonlyMap<FallbackStep, number> => {
  const sendTimes = new Map<FallbackStep, number>();
  let at = from;
  for (const step of steps) {
    at = quietUntil(quietHours, step.channel, at + step.afterMs);
    sendTimes.set(step, at);
  }
  return sendTimes;
};

/** A step as the preview shows it, and its price in coins. */
const previewStep = async (
  ports: PreviewPorts,
  actor: Actor,
  { step, plan }: PlannedStep,
  context: Promise<PreviewContext & { readonly sendTimes: ReadonlyMap<FallbackStep, number> }>,
) => {
  const { channel, afterMs } = step;
  const shown = { channel, after: `${afterMs / 1000}s` };
  if (isRefusal(plan)) return { coins: 0, step: { ...shown, refusal: toV1Error(plan) } };
  const { organizationId, env } = actor;
  const { mask, reasonOf } = channelOf(channel);
  const [{ coins, band }, candidates, { balance, byPlan, sendTimes }] = await Promise.all([
    quote(ports, organizationId, env, plan.price, plan.units),
    ports.routing.candidates(channel, organizationId, env, plan.route),
    context,
  ]);
  const { consent, stop } = byPlan.get(plan) ?? {};
  const refusal =
    precheckRefusal(plan, coins, { consent, balance, candidates }) ??
    (stop && stoppedRefusal(stop, reasonOf[stop.cause]));
  const provider = candidates.kind === 'ready' ? candidates.providers[0]?.name : undefined;
  return {
    coins,
    step: {
      ...shown,
      route: plan.route,
      to: actor.scopes.has('pii:full') ? plan.to : mask(plan.to),
      units: plan.units,
      price: { coins },
      volumeBand: { index: band.index, from: band.from, upTo: band.upTo },
      leavesAt: isoTime(sendTimes.get(step) ?? Number.NaN),
      ...(provider === undefined ? {} : { provider }),
      ...(refusal ? { refusal: toV1Error(refusal) } : {}),
    },
  };
};

/**
 * Previews a send step by step: what it would do and cost, and why it would be refused (docs/spec/v1.md#preview). Nothing is stored or
 * charged. Wallet, quiet hours and recipients are read once for all steps, concurrently with prices and providers.
 */
export const previewV1 = async (ports: PreviewPorts, actor: Actor, body: V1SendRequest) => {
  const fault = requestFault(body, ports.clock());
  if (fault) return fault;
  const request = toSendRequest(body);
  const fallbacks = await matchedStepsOf(ports, actor, request, body);
  const steps = [{ ...request, maxCoins: body.maxCoins, afterMs: 0 }, ...fallbacks];
  const planned = await Promise.all(steps.map((step) => plannedStep(ports, actor, step)));
  const plans = planned.flatMap(({ plan }) => (isRefusal(plan) ? [] : [plan]));
  const from = Math.max(request.scheduledAt ?? 0, ports.clock());
  const context = ports
    .previewContext(actor, plans)
    .then((previewContext) => ({ ...previewContext, sendTimes: sendTimesOf(previewContext.quietHours, from, steps) }));
  const [{ balance }, ...shown] = await Promise.all([
    context,
    ...planned.map((step) => previewStep(ports, actor, step, context)),
  ]);
  return {
    hops: shown.map(({ step }) => step),
    price: { coins: shown[0]?.coins ?? 0, atMostCoins: shown.reduce((sum, { coins }) => sum + coins, 0) },
    wallet: { balanceCoins: balance },
  };
};

/**
 * Whether a preview reveals what is known about its recipient: an opt-out, a suppressed address, or a contact with an
 * address on another channel.
 */
export const revealsRecipient =
  (body: V1SendRequest) =>
  (preview: Awaited<ReturnType<typeof previewV1>>): boolean => {
    if (isRefusal(preview)) return false;
    const [first, ...fallbacks] = preview.hops;
    const steps = stepsOf(toSendRequest(body), body);
    const isMatched = (at: number, detail: string | undefined) =>
      steps[at] !== undefined && needsMatch(body, steps[at]) && detail !== NO_RECIPIENT.details.detail;
    return (
      [first, ...fallbacks].some((hop) => RECIPIENT_REASONS.includes(hop?.refusal?.reason)) ||
      fallbacks.some(({ refusal }, at) => isMatched(at, refusal?.detail))
    );
  };
