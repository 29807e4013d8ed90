import type { Actor } from '../actor.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { isoTime } from '../time.ts';
import { rulesOf } from './channels.ts';
import { messageEvent } from './events.ts';
import type { Hop } from './hops.ts';
import type { Labels, MessageRecord } from './message.ts';
import { fallbackCoinsOf, type Planned, type Planners, type SendPlan, type Tenant } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { quote } from './quote.ts';
import { type ConsentFault, faultOf } from './refusals.ts';
import { type ReserveRefusal, reserveMessage, type Sent } from './send.ts';
import type { UnifiedRequest } from './unified.ts';

export interface SubmitPorts extends SendPorts {
  readonly planners: Planners;
  /** Why the recipient's consent would refuse the plan; undefined when it would not. */
  readonly consentFault: (tenant: Tenant, plan: SendPlan) => Promise<ConsentFault | undefined>;
  /** What can be spent now, in coins. */
  readonly balance: (organizationId: string) => Promise<number>;
  /** A contact's own recipient on a channel; undefined when it has none, or there is no such contact. */
  readonly recipientOf: (
    tenant: Tenant,
    contactId: string,
    channel: UnifiedRequest['channel'],
  ) => Promise<string | undefined>;
  /** Hands a queued message to its queue at a moment (ms); may be lost. */
  readonly hintSend: (messageId: string, at: number) => void;
  /** Hands a chain on at a moment (ms); may be lost. */
  readonly hintChain: (id: string, at: number) => void;
}

/** How far ahead a message may be scheduled, in ms. */
const AHEAD_MS = 90 * 24 * 3600_000;

/** Why a moment (ISO 8601) cannot be one to leave at; undefined when it can, or there is none. */
export const scheduleFault = (scheduledAt: string | undefined, now: number) =>
  scheduledAt !== undefined && Date.parse(scheduledAt) > now + AHEAD_MS
    ? refuse('VALIDATION_ERROR', {
        detail: 'The moment lies too far ahead.',
        errors: [{ path: 'scheduledAt', message: 'must be within 90 days' }],
      })
    : undefined;

export type PlanRefusal = Extract<Planned, Refusal>;
export type SubmitRefusal = ReserveRefusal | PlanRefusal | Refusal<'BAD_REQUEST' | 'DEPENDENCY_FAILED'>;

/** What stands against a plan as of now, at its price of now; undefined when nothing does. */
export const standsAgainst = async (
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
  // What a message holds that is replaced pays for the new one.
  const returned = plan.original?.hold === 'open' ? plan.original.coins : 0;
  return faultOf(plan, coins, { consent, balance: balance + returned, candidates });
};

/**
 * 502 when nothing may carry the message, after what its price, the recipient's consent and the balance say (decisions, part 4: the order
 * of checks).
 */
export const uncarriedBy = async (
  ports: SendPorts & Pick<SubmitPorts, 'consentFault' | 'balance'>,
  tenant: Tenant,
  plan: SendPlan,
) => {
  const { organizationId, env } = tenant;
  const { kind } = await ports.routing.candidates(plan.channel, organizationId, env, plan.route);
  return kind === 'ready' ? undefined : standsAgainst(ports, tenant, plan);
};

/** A send as it is to be accepted. */
export interface Submission {
  readonly request: UnifiedRequest;
  /** The caller's key, and what makes two requests under it the same. */
  readonly key: string;
  readonly hash: string;
  readonly hops?: readonly PricedHop[];
  readonly maxCoins?: number | undefined;
}

/**
 * Accepts a send that leaves by itself: one transaction takes key, money, message and fallbacks; the queue then sends it. A repeat of
 * the key answers with the message as it stands.
 */
export const submit = async (
  ports: SubmitPorts,
  tenant: Tenant,
  { request, key, hash, hops = [], maxCoins }: Submission,
): Promise<Sent | SubmitRefusal> => {
  const planned = await ports.planners[request.channel](tenant, request, key, hash);
  if (isRefusal(planned)) return planned;
  const { body } = planned;
  const plan: SendPlan = { ...planned.plan, maxCoins };
  const uncarried = await uncarriedBy(ports, tenant, plan);
  if (uncarried) return uncarried;
  const at = Math.max(request.scheduledAt ?? 0, ports.clock());
  const sent = await reserveMessage(ports, tenant, plan, { status: 'queued', at, body, hops }, (message) => [
    messageEvent('message.queued', message, message.createdAt),
  ]);
  if (!isRefusal(sent) && !sent.replayed) {
    const { organizationId, id: messageId, coins } = sent.message;
    ports.hintSend(messageId, at);
    const [next] = hops;
    if (next) ports.hintChain(messageId, at + next.afterMs);
    ports.observe.sent(plan.channel, 'accepted', { organizationId, messageId, coins });
  }
  return sent;
};

/** A fallback as a caller writes it, and as the answer prices it. */
export interface HopRequest extends Omit<Hop, 'to' | 'afterMs' | 'type'> {
  readonly to?: string | undefined;
  readonly afterMs?: number | undefined;
}
export interface PricedHop extends Hop {
  readonly coins: number;
}

/** How long a message is waited for when neither it nor the hop says, in ms. */
export const DEFAULT_WAIT_MS = 10 * 60_000;

/** Where a hop goes that names no recipient: to the same one where the channels share a format, else to the contact's own. */
const recipientOfHop = async (ports: SubmitPorts, tenant: Tenant, first: UnifiedRequest, hop: HopRequest) => {
  if (hop.to !== undefined) return hop.to;
  if (rulesOf(hop.channel).recipient === rulesOf(first.channel).recipient) return first.to;
  return first.contactId ? ports.recipientOf(tenant, first.contactId, hop.channel) : undefined;
};

/** Makes the fallbacks whole: what a hop leaves out is the first message's own. */
export const completeHops = async (
  ports: SubmitPorts,
  tenant: Tenant,
  first: UnifiedRequest,
  requested: readonly HopRequest[],
  waitMs: number,
): Promise<readonly Hop[] | Refusal<'VALIDATION_ERROR'>> => {
  const hops: Hop[] = [];
  for (const [index, wanted] of requested.entries()) {
    const to = await recipientOfHop(ports, tenant, first, wanted);
    if (to === undefined)
      return refuse('VALIDATION_ERROR', {
        detail: 'A fallback has no recipient.',
        overview: 'invalid_recipient',
        errors: [{ path: `fallback.${index}.to`, message: 'is needed: neither the send nor its contact tells it' }],
      });
    const content = wanted.text === undefined && wanted.template === undefined ? first : wanted;
    const variables = wanted.variables ?? first.variables;
    const { contactId, campaignId, metadata, priority } = first;
    hops.push({
      channel: wanted.channel,
      to,
      type: content.template === undefined ? 'text' : 'template',
      text: content.text,
      template: content.template,
      variables,
      contactId,
      campaignId,
      metadata,
      priority,
      afterMs: wanted.afterMs ?? waitMs,
      maxCoins: wanted.maxCoins,
      labels: templateLabels({ template: content.template, variables }),
    });
  }
  return hops;
};

/** Prices the fallbacks: what is wrong with one is told before anything is sent. */
export const priceHops = async (
  ports: SubmitPorts,
  tenant: Tenant,
  hops: readonly Hop[],
): Promise<readonly PricedHop[] | SubmitRefusal> => {
  const priced: PricedHop[] = [];
  for (const [index, hop] of hops.entries()) {
    const planned = await ports.planners[hop.channel](tenant, hop, `hop\n${index}`, '');
    if (isRefusal(planned)) return atHop(planned, index);
    const { plan } = planned;
    const { coins } = await quote(ports, tenant.organizationId, tenant.env, plan.price, plan.units);
    priced.push({ ...hop, coins });
  }
  return priced;
};

const atHop = (refusal: PlanRefusal, index: number): PlanRefusal => {
  const { details, name } = refusal;
  const errors = details.errors?.map(({ path, message }) => ({ path: `fallback.${index}.${path}`, message }));
  return refuse(name, { ...details, ...(errors ? { errors } : {}) }) as PlanRefusal;
};

/** What a message keeps of the template that it names. */
export const templateLabels = ({ template, variables }: Pick<UnifiedRequest, 'template' | 'variables'>): Labels =>
  template === undefined
    ? {}
    : { templateId: template, templateVars: variables && Object.values(variables).map(String) };

/**
 * The overview contract's answer (interface 4.0; decisions, part 4). The same on every replay, but for the wallet's balance: `ways` are
 * the fallbacks as the request names them, their prices those of the message's acceptance.
 */
export const acceptedView = async (
  ports: SubmitPorts,
  { organizationId }: Pick<Actor, 'organizationId'>,
  { message, replayed }: Sent,
  ways: readonly Pick<Hop, 'channel' | 'afterMs'>[],
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
  ...(ways.length > 0
    ? {
        fallback: fallbackCoinsOf(message).flatMap((coins, at) => {
          const way = ways[at];
          return way ? [{ channel: way.channel, after: `${way.afterMs / 1000}s`, price: { coins } }] : [];
        }),
      }
    : {}),
});

const bandOf = ({ band }: MessageRecord) => band ?? { index: 0, from: 1, upTo: null };
