import type { Caller, Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal, refuse, V1_CODES } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import { type FallbackStep, fallbackOfMessage, type QueuedFallback } from '../message/fallback.ts';
import type { MessageRecord, QueuedMessage, StepRefusal } from '../message/message.ts';
import type { PlanRefusal } from '../message/plan.ts';
import type { SendRequest } from '../message/send-request.ts';
import { messageEvent } from '../tracking/events.ts';
import { fallbackCoinsOf, queuedBody } from './draft.ts';
import type { SendFrequency } from './frequency.ts';
import type { RequestKey, Sent } from './idempotency.ts';
import type { SendPlan } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { quote } from './quote.ts';
import { type ConsentFault, precheckRefusal } from './refusals.ts';
import { type ReserveRefusal, reserveMessage } from './reserve.ts';
import type { StepPorts } from './steps.ts';

/** Ports of asynchronous sends. */
export interface SubmitPorts extends SendPorts, StepPorts {
  /** Why the recipient's consent forbids the plan; undefined when it does not. */
  readonly consentFault: (tenant: Tenant, plan: SendPlan) => Promise<ConsentFault | undefined>;
  /** The available balance, in coins. */
  readonly balance: (organizationId: Id<'organization'>) => Promise<number>;
  /** Enqueues a queued message for a time (ms). Best effort: lost work items are found by their due row. */
  readonly enqueueSend: (message: QueuedMessage, at: number) => void;
  /** Enqueues a fallback for a time (ms). Best effort. */
  readonly enqueueFallback: (fallback: QueuedFallback, at: number) => void;
}

/** Ports of the v1 response. */
export interface AnswerPorts {
  /** The available balance in coins of the first response about a message; the first call stores it for replays. */
  readonly answeredBalance: (message: MessageRecord) => Promise<number>;
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

/** Refusals of an asynchronous send; nothing is stored then. */
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

/** The provider that would send the plan now; 502 when none can, unless price, consent or balance refuse first (docs/spec/sends.md#order-of-checks). */
export const firstProvider = async (
  ports: SendPorts & Pick<SubmitPorts, 'consentFault' | 'balance'>,
  tenant: Tenant,
  plan: SendPlan,
) => {
  const { organizationId, env } = tenant;
  const candidates = await ports.routing.candidates(plan.channel, organizationId, env, plan.route);
  return candidates.kind === 'ready' ? candidates.providers[0]?.name : precheck(ports, tenant, plan);
};

/** A send to accept, with its fallback steps. */
export interface Submission {
  readonly request: SendRequest;
  readonly key: RequestKey;
  readonly steps?: readonly FallbackStep[] | Promise<readonly FallbackStep[]>;
  readonly maxCoins?: number | undefined;
  /** Counts the message for its contact's frequency caps. */
  readonly frequency?: SendFrequency | undefined;
}

/**
 * Accepts an asynchronous send: one transaction stores key, hold, message and fallback; the queue then sends it. A replay of the key
 * answers with the current message.
 */
export const submit = async (
  ports: SubmitPorts,
  tenant: Caller,
  { request, key, steps: pricing = [], maxCoins, frequency }: Submission,
): Promise<Sent | SubmitRefusal> => {
  const [planned, steps] = await Promise.all([ports.plan(tenant, request), pricing]);
  if (isRefusal(planned)) return planned;
  const plan: SendPlan = { ...planned.plan, maxCoins };
  const provider = await firstProvider(ports, tenant, plan);
  if (isRefusal(provider)) return provider;
  const at = Math.max(request.scheduledAt ?? 0, ports.clock());
  const sent = await reserveMessage(ports, tenant, {
    plan,
    key,
    frequency,
    initial: { status: 'queued', at, provider, body: queuedBody(planned), steps },
    events: (message) => [messageEvent('message.queued', message, message.createdAt)],
  });
  if (!isRefusal(sent) && !sent.replayed) {
    const { organizationId, id: messageId, coins } = sent.message;
    ports.enqueueSend(sent.message, at);
    const [next] = steps;
    const fallback = fallbackOfMessage(sent.message);
    if (next && fallback) ports.enqueueFallback(fallback, at + next.afterMs);
    ports.observe.sent(plan.channel, 'accepted', { organizationId, messageId, coins });
  }
  return sent;
};

/**
 * The v1 response (docs/spec/v1.md#answer), the same on every replay. `steps` are the fallbacks of the request; their
 * prices are those recorded at acceptance. Steps that are not shown have neither price nor refusal.
 */
export const acceptedView = async (
  ports: AnswerPorts,
  { message, replayed }: Sent,
  steps: readonly FallbackStep[],
  isShown: (step: FallbackStep) => boolean,
) => ({
  id: message.id,
  status: 'queued' as const,
  channel: message.channel,
  env: message.env,
  createdAt: isoTime(message.createdAt),
  replayed,
  price: { coins: message.coins },
  volumeBand: bandOf(message),
  wallet: { balanceCoins: await ports.answeredBalance(message) },
  ...(steps.length > 0
    ? {
        fallback: fallbackCoinsOf(message).flatMap((coins, at) => {
          const step = steps[at];
          const known = { coins, refusal: message.fallbackRefusals?.[at] ?? undefined };
          return step ? [acceptedStep(step, isShown(step) ? known : undefined)] : [];
        }),
      }
    : {}),
});

/** The recorded state of a fallback step when its first message was accepted. */
interface KnownStep {
  readonly coins: number;
  readonly refusal: StepRefusal | undefined;
}
/** A fallback step in the response: with its price, or the reason why it could not be sent at present. */
const acceptedStep = ({ channel, afterMs }: FallbackStep, known: KnownStep | undefined) => ({
  channel,
  after: `${afterMs / 1000}s`,
  ...(known?.refusal ? { refusal: { ...known.refusal, action: V1_CODES[known.refusal.code] } } : {}),
  ...(known && !known.refusal ? { price: { coins: known.coins } } : {}),
});

const bandOf = ({ band }: MessageRecord) => band ?? { index: 0, from: 1, upTo: null };
