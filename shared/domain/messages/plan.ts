import { createHash } from 'node:crypto';
import type { Actor } from '../actor.ts';
import { canonical } from '../canonical.ts';
import type { Refusal } from '../errors.ts';
import { type Id, newId } from '../ids.ts';
import type { PriceRow } from '../pricing/prices.ts';
import { rulesOf } from './channels.ts';
import type { Chain, ChainStep, Hop } from './hops.ts';
import type { Decision, KeptContent, Labels, MessageRecord, MessageType, Priority } from './message.ts';
import type { SendPorts } from './ports.ts';
import type { Channel } from './provider.ts';
import type { SendQuote } from './quote.ts';
import type { UnifiedRequest } from './unified.ts';

/** What a channel's rules make of a request: all that the common pipeline needs to price, reserve and send it. */
export type SendPlan = { [C in Channel]: PlanOf<C> }[Channel];
export interface PlanOf<C extends Channel> {
  readonly channel: C;
  readonly route: string;
  readonly price: PriceRow;
  readonly to: string;
  readonly region?: 'BR' | 'INTL';
  readonly type: MessageType;
  readonly content: KeptContent[C];
  readonly units: number;
  /** False on transactional routes, which opt-out does not stop. */
  readonly mayOptOut: boolean;
  readonly contactId?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly labels?: Labels | undefined;
  readonly metadata?: MessageRecord['metadata'];
  readonly priority?: Priority | undefined;
  readonly links: readonly { readonly code: string; readonly url: string }[];
  /** The caller's key, and what makes two requests under it the same. */
  readonly key: string;
  readonly hash: string;
  /** Sends per second that the account contracted. */
  readonly perSecond?: number | undefined;
  readonly scheduledAt?: number | undefined;
  /** For a hop of a chain: the chain's first message; for a resend: the message that it replaces. */
  readonly chainId?: Id<'message'> | undefined;
  readonly replaces?: Id<'message'> | undefined;
  /** The same message as it was read, to be archived in the same transaction. */
  readonly original?: MessageRecord | undefined;
  /** It is refused when it would cost more. */
  readonly maxCoins?: number | undefined;
}

/** Whose message it is. */
export type Tenant = Pick<Actor, 'organizationId' | 'env'>;

/** What a channel made of a request: the plan, and what leaves besides what is kept of it, as JSON. */
export type Planned =
  | { readonly plan: SendPlan; readonly body?: string | undefined }
  | Refusal<'CONFLICT' | 'PRECONDITION_FAILED' | 'VALIDATION_ERROR'>;

/** What a plan is made of. `key` and `hash` as in PlanOf. */
export type Asked<R> = readonly [tenant: Tenant, request: R, key: string, hash: string];
/** Makes the plan of one channel. */
export type Planner = (...asked: Asked<UnifiedRequest>) => Promise<Planned>;
export type Planners = Readonly<Record<Channel, Planner>>;

/** What makes two requests the same: the operation and the body, whatever the order of its fields. */
export const requestHash = (operation: string, body: unknown): string =>
  createHash('sha256')
    .update(operation)
    .update('\n')
    .update(JSON.stringify(canonical(body)))
    .digest('base64url');

export type Draft = Omit<MessageRecord, 'coins' | 'decisions' | 'band'>;

/** How a fresh message begins: under way for a caller who waits, or queued for its moment. */
export type Beginning =
  | { readonly status: 'sending'; readonly provider: string }
  | {
      readonly status: 'queued';
      /** ms. */
      readonly at: number;
      /** What leaves besides what is kept, as JSON. */
      readonly body?: string | undefined;
      /** Its fallbacks; or the step of the chain that it is a hop of. */
      readonly hops?: readonly Hop[] | undefined;
      readonly step?: ChainStep | undefined;
    };

/** A fresh message of a plan, not yet priced. */
export const draft = async (ports: SendPorts, tenant: Tenant, plan: SendPlan, beginning: Beginning): Promise<Draft> => {
  const now = ports.clock();
  const id = newId('message');
  const { recipient } = rulesOf(plan.channel);
  const started = beginning.status === 'sending';
  return {
    id,
    organizationId: tenant.organizationId,
    env: tenant.env,
    channel: plan.channel,
    content: plan.content,
    direction: 'outbound',
    type: plan.type,
    priority: plan.priority ?? 'normal',
    status: beginning.status,
    to: plan.to,
    toHash: await ports.hashTo(tenant.organizationId, recipient, plan.to),
    region: plan.region,
    route: plan.route,
    provider: started ? beginning.provider : 'sandbox_provider',
    units: plan.units,
    contactId: plan.contactId as Id<'contact'> | undefined,
    campaignId: plan.campaignId,
    ...plan.labels,
    metadata: plan.metadata,
    scheduledAt: plan.scheduledAt,
    chainId: plan.chainId,
    replaces: plan.replaces,
    hold: 'open',
    fence: 1,
    deadline: started ? now + ports.sendDeadlineMs : beginning.at,
    callerKey: plan.key,
    attempts: started ? 1 : 0,
    createdAt: now,
    updatedAt: now,
  } as Draft;
};

/** What was decided before the provider is asked, as one entry of terms: each entry is written and read with the row at every step. */
const decisionsOf = (plan: SendPlan, beginning: Beginning, drafted: Draft, { band, coins }: SendQuote): Decision[] => {
  const contact = plan.contactId ? 'named' : 'by-recipient';
  const consent = plan.mayOptOut ? 'no-opt-out' : 'not-needed';
  const { hops = [], step } = beginning.status === 'queued' ? beginning : {};
  const terms = [
    `contact=${contact} consent=${consent}`,
    ...windowTerm(plan, drafted),
    `band=${band.index}`,
    ...(hops.length > 0 ? [`fallbacks=${hops.map((hop) => `${hop.channel}@${hop.coins}`).join()}`] : []),
    ...(step ? [`hop=${step.chain.next + 1}`] : []),
  ];
  return [{ at: drafted.createdAt, kind: 'accepted', detail: terms.join(' '), coins }];
};

/** How the platform's window was met, on the channels that have one; the sandbox asks for none on Instagram. */
const windowTerm = ({ channel, type }: SendPlan, { env }: Draft): readonly string[] => {
  if (channel === 'whatsapp') return [`window=${type === 'template' ? 'not-needed' : 'open'}`];
  return channel === 'instagram' && env === 'live' ? ['window=open'] : [];
};

/**
 * What each fallback of a message would have cost when it was accepted, in coins, in their order. A message that was stored without the
 * field has them among the terms of its acceptance.
 */
export const fallbackCoinsOf = ({ fallbackCoins, decisions }: MessageRecord): readonly number[] => {
  if (fallbackCoins) return fallbackCoins;
  const [, ways = ''] = /(?:^| )fallbacks=(\S+)/.exec(decisions[0]?.detail ?? '') ?? [];
  return ways.split(',').flatMap((way) => (way === '' ? [] : [Number(way.slice(way.indexOf('@') + 1))]));
};

/** The chain that a message with fallbacks begins. */
export const chainOf = ({ id, organizationId, env }: Draft, at: number, hops: readonly Hop[]): Chain => ({
  id,
  organizationId,
  env,
  hops,
  next: 0,
  current: id,
  waitUntil: at + (hops[0]?.afterMs ?? 0),
  state: 'waiting',
});

/** The message as it is stored at its price. */
export const pricedMessage = (
  plan: SendPlan,
  beginning: Beginning,
  drafted: Draft,
  priced: SendQuote,
): MessageRecord => {
  const queued = beginning.status === 'queued' ? beginning : undefined;
  const { index, from, upTo } = priced.band;
  return {
    ...drafted,
    coins: priced.coins,
    decisions: decisionsOf(plan, beginning, drafted, priced),
    ...(queued ? { band: { index, from, upTo } } : {}),
    ...(queued?.body === undefined ? {} : { hasBody: true }),
    ...(queued?.hops?.length ? { chainId: drafted.id, fallbackCoins: queued.hops.map(({ coins = 0 }) => coins) } : {}),
  } as MessageRecord;
};
