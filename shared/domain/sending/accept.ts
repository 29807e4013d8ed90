import { channelOf } from '../channels/registry.ts';
import type { Actor, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { FallbackStep } from '../message/fallback.ts';
import type { Labels, MessageRecord } from '../message/message.ts';
import type { PlanRefusal } from '../message/plan.ts';
import type { SendRequest } from '../message/send-request.ts';
import { messageEvent } from '../tracking/events.ts';
import { fallbackCoinsOf, queuedBody } from './draft.ts';
import type { RequestKey, Sent } from './idempotency.ts';
import type { Planner, SendPlan } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { quote } from './quote.ts';
import { type ConsentFault, precheckRefusal } from './refusals.ts';
import { type ReserveRefusal, reserveMessage } from './reserve.ts';

export interface SubmitPorts extends SendPorts {
  readonly plan: Planner;
  /** Why the recipient's consent forbids the plan; undefined when it does not. */
  readonly consentFault: (tenant: Tenant, plan: SendPlan) => Promise<ConsentFault | undefined>;
  /** The available balance, in coins. */
  readonly balance: (organizationId: Id<'organization'>) => Promise<number>;
  /** A contact's address on a channel; undefined when it has none, or there is no such contact. */
  readonly recipientOf: (
    tenant: Tenant,
    contactId: Id<'contact'>,
    channel: SendRequest['channel'],
  ) => Promise<string | undefined>;
  /** Enqueues a queued message for a time (ms). Best effort: lost work items are found by their due row. */
  readonly enqueueSend: (messageId: Id<'message'>, at: number) => void;
  /** Enqueues a fallback for a time (ms). Best effort. */
  readonly enqueueFallback: (id: Id<'message'>, at: number) => void;
}

/** How far ahead a message may be scheduled, in ms. */
const MAX_SCHEDULE_AHEAD_MS = 90 * 24 * 3600_000;

/** 422 when `scheduledAt` (ISO 8601) is too far ahead; undefined when it is acceptable or absent. */
export const scheduleFault = (scheduledAt: string | undefined, now: number) =>
  scheduledAt !== undefined && Date.parse(scheduledAt) > now + MAX_SCHEDULE_AHEAD_MS
    ? refuse('VALIDATION_ERROR', {
        detail: 'The moment lies too far ahead.',
        errors: [{ path: 'scheduledAt', message: 'must be within 90 days' }],
      })
    : undefined;

export type SubmitRefusal = ReserveRefusal | PlanRefusal | Refusal<'BAD_REQUEST' | 'DEPENDENCY_FAILED'>;

/** The refusal that a plan would get now, at its current price; undefined when it would be accepted. */
export const precheck = async (
  ports: SendPorts & Pick<SubmitPorts, 'consentFault' | 'balance'>,
  { organizationId, env }: Tenant,
  plan: SendPlan,
) => {
  const [{ coins }, consent, balance, candidates] = await Promise.all([
    quote(ports, organizationId, env, plan.price, plan.units),
    ports.consentFault({ organizationId, env }, plan),
    ports.balance(organizationId),
    ports.routing.candidates(plan.channel, organizationId, env, plan.route),
  ]);
  // The open hold of a replaced message is released in the same transaction, so it counts as available.
  const refunded = plan.original?.hold === 'open' ? plan.original.coins : 0;
  return precheckRefusal(plan, coins, { consent, balance: balance + refunded, candidates });
};

/** 502 when no provider is available, unless price, consent or balance refuse first (docs/spec/sends.md#order-of-checks). */
export const noProviderRefusal = async (
  ports: SendPorts & Pick<SubmitPorts, 'consentFault' | 'balance'>,
  tenant: Tenant,
  plan: SendPlan,
) => {
  const { organizationId, env } = tenant;
  const { kind } = await ports.routing.candidates(plan.channel, organizationId, env, plan.route);
  return kind === 'ready' ? undefined : precheck(ports, tenant, plan);
};

/** A send to accept, with its fallback steps. */
export interface Submission {
  readonly request: SendRequest;
  readonly key: RequestKey;
  readonly steps?: readonly PricedStep[];
  readonly maxCoins?: number | undefined;
}

/**
 * Accepts an asynchronous send: one transaction stores key, hold, message and fallback; the queue then sends it. A replay of the key
 * answers with the current message.
 */
export const submit = async (
  ports: SubmitPorts,
  tenant: Tenant,
  { request, key, steps = [], maxCoins }: Submission,
): Promise<Sent | SubmitRefusal> => {
  const planned = await ports.plan(tenant, request);
  if (isRefusal(planned)) return planned;
  const plan: SendPlan = { ...planned.plan, maxCoins };
  const noProvider = await noProviderRefusal(ports, tenant, plan);
  if (noProvider) return noProvider;
  const at = Math.max(request.scheduledAt ?? 0, ports.clock());
  const sent = await reserveMessage(ports, tenant, {
    plan,
    key,
    initial: { status: 'queued', at, body: queuedBody(planned), steps },
    events: (message) => [messageEvent('message.queued', message, message.createdAt)],
  });
  if (!isRefusal(sent) && !sent.replayed) {
    const { organizationId, id: messageId, coins } = sent.message;
    ports.enqueueSend(messageId, at);
    const [next] = steps;
    if (next) ports.enqueueFallback(messageId, at + next.afterMs);
    ports.observe.sent(plan.channel, 'accepted', { organizationId, messageId, coins });
  }
  return sent;
};

/** A fallback step as in the request; omitted fields are taken from the send. */
export interface StepRequest extends Omit<FallbackStep, 'to' | 'afterMs' | 'type'> {
  readonly to?: string | undefined;
  readonly afterMs?: number | undefined;
}
export interface PricedStep extends FallbackStep {
  readonly coins: number;
}

/** How long to wait for a delivery when neither the send nor the step says, in ms. */
export const DEFAULT_WAIT_MS = 10 * 60_000;

/** The recipient of a step: its own, else the send's where both channels share a format, else the contact's on that channel. */
const recipientOfStep = async (ports: SubmitPorts, tenant: Tenant, first: SendRequest, step: StepRequest) => {
  if (step.to !== undefined) return step.to;
  if (channelOf(step.channel).recipient === channelOf(first.channel).recipient) return first.to;
  return first.contactId ? ports.recipientOf(tenant, first.contactId, step.channel) : undefined;
};

/** Completes the fallback steps: omitted fields are taken from the first message. 422 for a step without a recipient. */
export const completeSteps = async (
  ports: SubmitPorts,
  tenant: Tenant,
  first: SendRequest,
  requested: readonly StepRequest[],
  waitMs: number,
): Promise<readonly FallbackStep[] | Refusal<'VALIDATION_ERROR'>> => {
  const steps: FallbackStep[] = [];
  for (const [index, step] of requested.entries()) {
    const to = await recipientOfStep(ports, tenant, first, step);
    if (to === undefined)
      return refuse('VALIDATION_ERROR', {
        detail: 'A fallback has no recipient.',
        v1Code: 'invalid_recipient',
        errors: [{ path: `fallback.${index}.to`, message: 'is needed: neither the send nor its contact tells it' }],
      });
    const content = step.text === undefined && step.template === undefined ? first : step;
    const variables = step.variables ?? first.variables;
    const { contactId, campaignId, metadata, priority } = first;
    steps.push({
      channel: step.channel,
      to,
      type: content.template === undefined ? 'text' : 'template',
      text: content.text,
      template: content.template,
      variables,
      contactId,
      campaignId,
      metadata,
      priority,
      afterMs: step.afterMs ?? waitMs,
      maxCoins: step.maxCoins,
      labels: templateLabels({ template: content.template, variables }),
    });
  }
  return steps;
};

/** Plans and prices the fallback steps, so that an invalid one is refused before anything is sent. */
export const priceSteps = async (
  ports: SubmitPorts,
  tenant: Tenant,
  steps: readonly FallbackStep[],
): Promise<readonly PricedStep[] | SubmitRefusal> => {
  const priced: PricedStep[] = [];
  for (const [index, step] of steps.entries()) {
    const planned = await ports.plan(tenant, step);
    if (isRefusal(planned)) return refusalAtStep(planned, index);
    const { plan } = planned;
    const { coins } = await quote(ports, tenant.organizationId, tenant.env, plan.price, plan.units);
    priced.push({ ...step, coins });
  }
  return priced;
};

const refusalAtStep = (refusal: PlanRefusal, index: number): PlanRefusal => {
  const { details, name } = refusal;
  const errors = details.errors?.map(({ path, message }) => ({ path: `fallback.${index}.${path}`, message }));
  return refuse(name, { ...details, ...(errors ? { errors } : {}) }) as PlanRefusal;
};

/** The template labels that a message stores. */
export const templateLabels = ({ template, variables }: Pick<SendRequest, 'template' | 'variables'>): Labels =>
  template === undefined
    ? {}
    : { templateId: template, templateVars: variables && Object.values(variables).map(String) };

/**
 * The v1 contract's answer (docs/spec/v1.md#answer), the same on every replay except for the balance. `steps` are the fallbacks of the
 * request; their prices are those recorded when the message was accepted.
 */
export const acceptedView = async (
  ports: SubmitPorts,
  { organizationId }: Pick<Actor, 'organizationId'>,
  { message, replayed }: Sent,
  steps: readonly Pick<FallbackStep, 'channel' | 'afterMs'>[],
) => ({
  id: message.id,
  status: 'queued' as const,
  channel: message.channel,
  env: message.env,
  createdAt: isoTime(message.createdAt),
  replayed,
  price: { coins: message.coins },
  volumeBand: bandOf(message),
  wallet: { balanceCoins: await ports.balance(organizationId) },
  ...(steps.length > 0
    ? {
        fallback: fallbackCoinsOf(message).flatMap((coins, at) => {
          const step = steps[at];
          return step ? [{ channel: step.channel, after: `${step.afterMs / 1000}s`, price: { coins } }] : [];
        }),
      }
    : {}),
});

const bandOf = ({ band }: MessageRecord) => band ?? { index: 0, from: 1, upTo: null };
