import { channelOf } from '../channels/registry.ts';
import type { Caller, Tenant } from '../core/actor.ts';
import { newId } from '../core/ids.ts';
import { storedPriority } from '../core/priority.ts';
import type { Channel } from '../message/channel.ts';
import {
  type Fallback,
  type FallbackStep,
  MATCHED_MARK,
  needsMatch,
  type StepTransition,
} from '../message/fallback.ts';
import type { Decision, Labels, MessageRecord } from '../message/message.ts';
import { SANDBOX_PROVIDER } from '../message/sandbox.ts';
import type { RequestKey } from './idempotency.ts';
import type { PlannedSend, SendPlan } from './plan.ts';
import type { SendPorts } from './ports.ts';
import { storedPositions, takesPositions } from './positions.ts';
import type { SendQuote } from './quote.ts';

/** The fields of a quote that a message stores. */
type PricedAt = Pick<SendQuote, 'coins' | 'band' | 'month' | 'positions'>;

/** A new message without its price. */
export type Draft = Omit<MessageRecord, 'coins' | 'positions' | 'decisions' | 'band'>;

/**
 * The initial state of a message: sending while its caller waits, or queued until `at`. `provider`: the one that would
 * send it now; if there is none, the one that it was meant for.
 */
export type InitialState =
  | { readonly status: 'sending'; readonly provider?: string | undefined }
  | {
      readonly status: 'queued';
      readonly provider?: string | undefined;
      /** ms. */
      readonly at: number;
      /** The content to send if it differs from the stored content, as JSON. */
      readonly body?: string | undefined;
      /** The fallback steps of a first message; `transition`: of a message that is a fallback step itself. */
      readonly steps?: readonly FallbackStep[] | undefined;
      readonly transition?: StepTransition | undefined;
    };

/** The content to seal in the table until the message is sent, as JSON; undefined if the message stores all of it. */
export const queuedBody = ({ outbound }: PlannedSend): string | undefined =>
  outbound === undefined ? undefined : JSON.stringify(outbound);

/** The provider that a message was meant for if none could be chosen: the sandbox in test, else the channel's first. */
const defaultProvider = (channel: Channel, env: Tenant['env']): string =>
  env === 'test' ? SANDBOX_PROVIDER : (channelOf(channel).providers[0] ?? channel);

/** The person who sent it, if any; a fallback step inherits this from its first message. */
export const operatorOf = ({ accountId, accountName }: Caller): Labels =>
  accountId === undefined ? {} : { sentByAccountId: accountId, sentByName: accountName };

/** The message of a plan before it is priced; stores nothing. */
export const draft = async (
  ports: Pick<SendPorts, 'clock' | 'recipientHashOf' | 'sendDeadlineMs'>,
  tenant: Caller,
  plan: SendPlan,
  { callerKey }: Pick<RequestKey, 'callerKey'>,
  initial: InitialState,
): Promise<Draft> => {
  const now = ports.clock();
  const id = newId('message');
  const { recipient } = channelOf(plan.channel);
  const started = initial.status === 'sending';
  return {
    id,
    organizationId: tenant.organizationId,
    env: tenant.env,
    channel: plan.channel,
    content: plan.content,
    direction: 'outbound',
    type: plan.type,
    priority: plan.priority ?? 'normal',
    status: initial.status,
    to: plan.to,
    recipientHash: await ports.recipientHashOf(tenant.organizationId, recipient, plan.to),
    region: plan.region,
    route: plan.route,
    provider: initial.provider ?? defaultProvider(plan.channel, tenant.env),
    units: plan.units,
    contactId: plan.contactId,
    campaignId: plan.campaignId,
    ...plan.labels,
    ...operatorOf(tenant),
    metadata: plan.metadata,
    scheduledAt: plan.scheduledAt,
    validUntil: plan.validUntil,
    fallbackId: plan.fallbackId,
    replaces: plan.replaces,
    hold: 'open',
    fence: 1,
    deadline: started ? now + ports.sendDeadlineMs : initial.at,
    callerKey,
    attempts: started ? 1 : 0,
    createdAt: now,
    updatedAt: now,
  } as Draft;
};

/**
 * A fallback step as a term: its price in coins, or the reason why it could not be sent at present. With MATCHED_MARK if its recipient is
 * only known through the contact that has the message's: the term then says what that contact has on other channels.
 */
const stepTerm = (plan: SendPlan, step: FallbackStep): string => {
  const { channel, coins = 0, refusal } = step;
  const name = needsMatch(plan, step) ? `${channel}${MATCHED_MARK}` : channel;
  return refusal ? `${name}!${refusal.reason ?? refusal.code}` : `${name}@${coins}`;
};

/** The term of the acceptance of a transactional message. */
const CONSENT_NOT_NEEDED = 'consent=not-needed';

/** The acceptance as one timeline entry of terms: a single short entry keeps the row small, which is read and written at every step. */
const decisionsOf = (plan: SendPlan, initial: InitialState, drafted: Draft, { band, coins }: PricedAt): Decision[] => {
  const contact = plan.contactId ? 'named' : 'by-recipient';
  const consent = plan.requiresConsent ? 'consent=no-opt-out' : CONSENT_NOT_NEEDED;
  const window = channelOf(plan.channel).windowTerm?.(plan.type, drafted.env);
  const { steps = [], transition } = initial.status === 'queued' ? initial : {};
  const terms = [
    `contact=${contact} ${consent}`,
    ...(window === undefined ? [] : [`window=${window}`]),
    `band=${band.index}`,
    ...(steps.length > 0 ? [`fallbacks=${steps.map((step) => stepTerm(plan, step)).join()}`] : []),
    ...(transition ? [`step=${transition.fallback.next + 1}`] : []),
  ];
  return [{ at: drafted.createdAt, kind: 'accepted', detail: terms.join(' '), coins }];
};

/** Whether an opt-out stops a message, according to its acceptance. */
export const requiresConsentOf = ({ decisions }: Pick<MessageRecord, 'decisions'>): boolean =>
  !decisions[0]?.detail.split(' ').includes(CONSENT_NOT_NEEDED);

/**
 * The price of each fallback step when the message was accepted, in coins, in order. Messages stored before the field existed carry the
 * prices in the terms of their acceptance.
 */
export const fallbackCoinsOf = ({ fallbackCoins, decisions }: MessageRecord): readonly number[] => {
  if (fallbackCoins) return fallbackCoins;
  const [, terms = ''] = /(?:^| )fallbacks=(\S+)/.exec(decisions[0]?.detail ?? '') ?? [];
  return terms.split(',').flatMap((term) => (term === '' ? [] : [Number(term.slice(term.indexOf('@') + 1))]));
};

/** The fallback record of a first message; `at` is when it is to be sent, in ms. */
export const fallbackOf = (draft: Draft, at: number, steps: readonly FallbackStep[]): Fallback => ({
  id: draft.id,
  organizationId: draft.organizationId,
  env: draft.env,
  steps,
  next: 0,
  current: draft.id,
  waitUntil: at + (steps[0]?.afterMs ?? 0),
  state: 'waiting',
  ...storedPriority(draft),
});

const refusalsOf = (steps: readonly FallbackStep[]) =>
  steps.some(({ refusal }) => refusal) ? { fallbackRefusals: steps.map(({ refusal }) => refusal ?? null) } : {};

/** The message to store: the draft with its price, band and acceptance. */
export const pricedMessage = (
  plan: SendPlan,
  initial: InitialState,
  drafted: Draft,
  priced: PricedAt,
): MessageRecord => {
  const queued = initial.status === 'queued' ? initial : undefined;
  const { index, from, upTo } = priced.band;
  const positions = takesPositions(drafted) ? storedPositions(priced, drafted) : undefined;
  return {
    ...drafted,
    coins: priced.coins,
    ...(positions ? { positions } : {}),
    ...(plan.carrierCoins ? { carrierCoins: plan.carrierCoins } : {}),
    decisions: decisionsOf(plan, initial, drafted, priced),
    ...(queued ? { band: { index, from, upTo } } : {}),
    ...(queued?.body === undefined ? {} : { hasBody: true }),
    ...(queued?.steps?.length
      ? {
          fallbackId: drafted.id,
          fallbackCoins: queued.steps.map(({ coins = 0 }) => coins),
          ...refusalsOf(queued.steps),
        }
      : {}),
  } as MessageRecord;
};
