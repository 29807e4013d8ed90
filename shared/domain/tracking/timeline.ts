import { channelOf } from '../channels/registry.ts';
import type { Id } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { EventType } from '../events/catalogue.ts';
import { MATCHED_MARK } from '../message/fallback.ts';
import type { StoredMessage } from '../message/inbound-message.ts';
import { advances, type Decision, type MessageRecord, type MessageStatus } from '../message/message.ts';
import type { AttemptSummary } from '../webhooks/ports.ts';
import type { Delivery } from '../webhooks/subscription.ts';
import { type AiTurn, turnDetail } from './ai-turn.ts';
import { eventTypeOf } from './events.ts';

/** The kinds of timeline entries (docs/spec/messages.md#timeline). */
export const STEP_KINDS = [
  'accepted',
  'contact',
  'consent',
  'window',
  'price_band',
  'hold',
  'route',
  'deferred',
  'provider',
  'receipt',
  'opened',
  'clicked',
  'resolution',
  'fallback',
  'operator',
  'ai',
  'webhook',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** A timeline entry. `at` is ISO 8601 in UTC. */
export interface Step {
  readonly at: string;
  readonly kind: StepKind;
  readonly detail: string;
  readonly coins?: number;
  /** For a step about a webhook: the ids for reading the delivery, with request and response. */
  readonly webhookId?: Id<'webhook'>;
  readonly deliveryId?: Id<'delivery'>;
}

export type MessageDelivery = Delivery & { readonly summaries: readonly AttemptSummary[] };

/** A message's opens and clicks: the time of the first of each (ms), and the counts. */
export interface Engagement {
  readonly firstOpenedAt?: number | undefined;
  readonly opened: number;
  readonly firstClickedAt?: number | undefined;
  readonly clicked: number;
}

/** Texts for the stored terms of an acceptance; other terms are shown as stored. */
const TERM_TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  contact: {
    named: 'the contact that the send named',
    'by-recipient': 'no contact was named: matched by the recipient',
  },
  consent: { 'no-opt-out': 'no opt-out applies', 'not-needed': 'transactional: opt-out does not apply' },
  window: { open: 'the recipient wrote within it', 'not-needed': 'a template needs none' },
};
const KIND_OF_TERM: Readonly<Record<string, StepKind>> = {
  contact: 'contact',
  consent: 'consent',
  window: 'window',
  band: 'price_band',
  fallbacks: 'fallback',
  step: 'fallback',
};
const TERM_ORDER: readonly StepKind[] = ['fallback', 'contact', 'consent', 'window', 'price_band'];

const termsOf = (detail: string): readonly (readonly [string, string])[] =>
  detail.split(' ').flatMap((term) => {
    const at = term.indexOf('=');
    return at > 0 ? [[term.slice(0, at), term.slice(at + 1)] as const] : [];
  });

const bandOf = ({ band }: MessageRecord, index: string): string =>
  band ? `band ${index}: units ${band.from} to ${band.upTo ?? 'any'} of the month` : `band ${index}`;

const stepText = (step: string): string =>
  step.includes('!') ? `${step.replace('!', ' (cannot be sent now: ')})` : `${step.replace('@', ' at ')} coins`;

/**
 * The fallback steps of a term such as `sms@800,whatsapp!window_closed,email*@600`. Of a marked one, who sees no addresses is shown the
 * channel only: docs/spec/v1.md#fallbacks.
 */
const stepsText = (value: string, unmasked: boolean): string =>
  value
    .split(',')
    .map((step) => {
      const [channel = '', ...rest] = step.split(MATCHED_MARK);
      return rest.length > 0 && !unmasked ? channel : stepText(`${channel}${rest.join('')}`);
    })
    .join(', then ');

const termText = (message: MessageRecord, name: string, value: string, unmasked: boolean): string => {
  if (name === 'band') return bandOf(message, value);
  if (name === 'fallbacks') return `if it does not deliver: ${stepsText(value, unmasked)}`;
  if (name === 'step') return `step=${value} of ${message.fallbackId}: the step before did not deliver`;
  return TERM_TEXTS[name]?.[value] ?? `${name} ${value}`;
};

/**
 * Expands the acceptance, which is stored as one entry of terms to keep the row small, into timeline entries. The fallback entry comes
 * first on a fallback step and last on a first message.
 */
const acceptanceSteps = (message: MessageRecord, { at, detail, coins }: Decision, unmasked: boolean): Step[] => {
  const steps = termsOf(detail).map(([name, value]): Step => {
    const kind = KIND_OF_TERM[name] ?? 'accepted';
    const priced = kind === 'price_band' && coins !== undefined ? { coins } : {};
    return { at: isoTime(at), kind, detail: termText(message, name, value, unmasked), ...priced };
  });
  if (steps.length === 0) steps.push({ at: isoTime(at), kind: 'accepted', detail });
  steps.sort((a, b) => TERM_ORDER.indexOf(a.kind) - TERM_ORDER.indexOf(b.kind));
  const held = {
    at: isoTime(at),
    kind: 'hold',
    detail: 'the price is held in the wallet',
    coins: message.coins,
  } as const;
  const route = { at: isoTime(at), kind: 'route', detail: `route ${message.route}` } as const;
  const { id, fallbackId } = message;
  const after = fallbackId === id ? steps.filter(({ kind }) => kind === 'fallback') : [];
  return [...steps.filter((step) => !after.includes(step)), held, route, ...after];
};

const stepsOf = (message: StoredMessage, unmasked: boolean): Step[] =>
  message.direction === 'inbound'
    ? message.decisions.map(({ at, ...step }) => ({ at: isoTime(at), ...step }))
    : message.decisions.flatMap((decision) => decisionSteps(message, decision, unmasked));

const decisionSteps = (message: MessageRecord, decision: Decision, unmasked: boolean): Step[] => {
  const { at, kind, detail, coins } = decision;
  if (kind === 'accepted') return acceptanceSteps(message, decision, unmasked);
  return [{ at: isoTime(at), kind, detail, ...(coins === undefined ? {} : { coins }) }];
};

const attemptStep = (
  { id: deliveryId, type, webhookId }: Delivery,
  { at, status, durationMs, error }: AttemptSummary,
): Step => {
  const outcome = status === undefined ? (error ?? 'no answer') : `answered ${status}`;
  return {
    at: isoTime(at),
    kind: 'webhook',
    detail: `${type} to ${webhookId}: ${outcome} in ${Math.round(durationMs)} ms`,
    webhookId,
    deliveryId,
  };
};

const deliverySteps = (delivery: MessageDelivery): Step[] => {
  const { id: deliveryId, createdAt, type, webhookId, sequence, status, summaries } = delivery;
  const number = sequence === undefined ? '' : ` as number ${sequence}`;
  const detail = `${type} is handed to ${webhookId}${number}: ${status}`;
  return [
    { at: isoTime(createdAt), kind: 'webhook', detail, webhookId, deliveryId },
    ...summaries.map((attempt) => attemptStep(delivery, attempt)),
  ];
};

const timesText = (count: number): string => (count === 1 ? 'once' : `${count} times, first at this moment`);

/** At most two entries, however many opens and clicks there are. */
const engagementSteps = ({ firstOpenedAt, opened, firstClickedAt, clicked }: Engagement): Step[] => [
  ...(firstOpenedAt === undefined
    ? []
    : [{ at: isoTime(firstOpenedAt), kind: 'opened', detail: `opened ${timesText(opened)}` } as const]),
  ...(firstClickedAt === undefined
    ? []
    : [{ at: isoTime(firstClickedAt), kind: 'clicked', detail: `a link was followed ${timesText(clicked)}` } as const]),
];

/** The event types that a message may have raised so far. */
export const eventTypesOf = (message: StoredMessage): readonly EventType[] => {
  if (message.direction === 'inbound') return [channelOf(message.channel).receivedEvent];
  const raised = Object.entries(channelOf(message.channel).eventOf)
    .filter(([status]) => !advances(message.status, status as MessageStatus))
    .map(([, type]) => type);
  const failed = message.status === 'failed' ? eventTypeOf(message, 'failed') : undefined;
  return [...new Set<EventType>(['message.queued', ...raised, ...(failed ? [failed] : [])])];
};

const turnStep = (turn: AiTurn): Step => ({ at: isoTime(turn.createdAt), kind: 'ai', detail: turnDetail(turn) });

/**
 * A message's decisions, engagement, turns of assistants and webhook deliveries, oldest first; stable within a millisecond. `unmasked`: the
 * reader may see personal data in full.
 */
export const timelineOf = (
  message: StoredMessage,
  deliveries: readonly MessageDelivery[],
  engagement?: Engagement | undefined,
  turns: readonly AiTurn[] = [],
  unmasked = false,
): Step[] =>
  [
    ...stepsOf(message, unmasked),
    ...(engagement ? engagementSteps(engagement) : []),
    ...turns.map(turnStep),
    ...deliveries.flatMap(deliverySteps),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
