import type { EventType } from '../events/catalogue.ts';
import { receivedEventOf, type StoredMessage } from '../inbound/message.ts';
import { isoTime } from '../time.ts';
import type { AttemptSummary } from '../webhooks/ports.ts';
import type { Delivery } from '../webhooks/subscription.ts';
import { rulesOf } from './channels.ts';
import { eventTypeOf } from './events.ts';
import { advances, type Decision, type MessageRecord, type MessageStatus } from './message.ts';

/** The steps of a message's story (decisions, part 4). */
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
  'webhook',
] as const;
export type StepKind = (typeof STEP_KINDS)[number];

/** One step. `at` is ISO 8601 in UTC. */
export interface Step {
  readonly at: string;
  readonly kind: StepKind;
  readonly detail: string;
  readonly coins?: number;
}

export type MessageDelivery = Delivery & { readonly summaries: readonly AttemptSummary[] };

/** What was heard of a message's opens and clicks: the first of each (ms), and how many. */
export interface Engagement {
  readonly firstOpenedAt?: number | undefined;
  readonly opened: number;
  readonly firstClickedAt?: number | undefined;
  readonly clicked: number;
}

/** What the stored terms of an acceptance say in words; a term that is not here is told as it stands. */
const WORDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  contact: {
    named: 'the contact that the send named',
    'by-recipient': 'no contact was named: matched by the recipient',
  },
  consent: { 'no-opt-out': 'no opt-out stands against it', 'not-needed': 'transactional: opt-out does not apply' },
  window: { open: 'the recipient wrote within it', 'not-needed': 'a template needs none' },
};
const KIND_OF_TERM: Readonly<Record<string, StepKind>> = {
  contact: 'contact',
  consent: 'consent',
  window: 'window',
  band: 'price_band',
  fallbacks: 'fallback',
  hop: 'fallback',
};
const ORDER: readonly StepKind[] = ['fallback', 'contact', 'consent', 'window', 'price_band'];

const termsOf = (detail: string): readonly (readonly [string, string])[] =>
  detail.split(' ').flatMap((term) => {
    const at = term.indexOf('=');
    return at > 0 ? [[term.slice(0, at), term.slice(at + 1)] as const] : [];
  });

const bandOf = ({ band }: MessageRecord, index: string): string =>
  band ? `band ${index}: units ${band.from} to ${band.upTo ?? 'any'} of the month` : `band ${index}`;

/** The ways that are tried when the message does not arrive: `sms@800,email@30`. */
const waysOf = (value: string): string =>
  value
    .split(',')
    .map((way) => `${way.replace('@', ' at ')} coins`)
    .join(', then ');

const told = (message: MessageRecord, name: string, value: string): string => {
  if (name === 'band') return bandOf(message, value);
  if (name === 'fallbacks') return `if it does not deliver: ${waysOf(value)}`;
  if (name === 'hop') return `hop=${value} of ${message.chainId}: the way before did not deliver`;
  return WORDS[name]?.[value] ?? `${name} ${value}`;
};

/**
 * An acceptance is kept as one entry of terms, since it is written and read with the row at every step: here it is told step by step.
 * Which way of a chain it is comes first; what is tried after it comes last.
 */
const acceptance = (message: MessageRecord, { at, detail, coins }: Decision): Step[] => {
  const steps = termsOf(detail).map(([name, value]): Step => {
    const kind = KIND_OF_TERM[name] ?? 'accepted';
    const priced = kind === 'price_band' && coins !== undefined ? { coins } : {};
    return { at: isoTime(at), kind, detail: told(message, name, value), ...priced };
  });
  if (steps.length === 0) steps.push({ at: isoTime(at), kind: 'accepted', detail });
  steps.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const held = {
    at: isoTime(at),
    kind: 'hold',
    detail: 'the price is held in the wallet',
    coins: message.coins,
  } as const;
  const route = { at: isoTime(at), kind: 'route', detail: `route ${message.route}` } as const;
  const { id, chainId } = message;
  const after = chainId === id ? steps.filter(({ kind }) => kind === 'fallback') : [];
  return [...steps.filter((step) => !after.includes(step)), held, route, ...after];
};

const stepsOf = (message: StoredMessage): Step[] =>
  message.direction === 'inbound'
    ? message.decisions.map(({ at, ...step }) => ({ at: isoTime(at), ...step }))
    : message.decisions.flatMap((decision) => decided(message, decision));

const decided = (message: MessageRecord, decision: Decision): Step[] => {
  const { at, kind, detail, coins } = decision;
  if (kind === 'accepted') return acceptance(message, decision);
  return [{ at: isoTime(at), kind, detail, ...(coins === undefined ? {} : { coins }) }];
};

const attempted = ({ type, webhookId }: Delivery, { at, status, durationMs, error }: AttemptSummary): Step => {
  const outcome = status === undefined ? (error ?? 'no answer') : `answered ${status}`;
  return {
    at: isoTime(at),
    kind: 'webhook',
    detail: `${type} to ${webhookId}: ${outcome} in ${Math.round(durationMs)} ms`,
  };
};

const delivered = (delivery: MessageDelivery): Step[] => {
  const { createdAt, type, webhookId, sequence, status, summaries } = delivery;
  const number = sequence === undefined ? '' : ` as number ${sequence}`;
  const detail = `${type} is handed to ${webhookId}${number}: ${status}`;
  return [
    { at: isoTime(createdAt), kind: 'webhook', detail },
    ...summaries.map((attempt) => attempted(delivery, attempt)),
  ];
};

const times = (count: number): string => (count === 1 ? 'once' : `${count} times, first at this moment`);

/** At most two steps, however often a message is opened and its links are followed. */
const engaged = ({ firstOpenedAt, opened, firstClickedAt, clicked }: Engagement): Step[] => [
  ...(firstOpenedAt === undefined
    ? []
    : [{ at: isoTime(firstOpenedAt), kind: 'opened', detail: `opened ${times(opened)}` } as const]),
  ...(firstClickedAt === undefined
    ? []
    : [{ at: isoTime(firstClickedAt), kind: 'clicked', detail: `a link was followed ${times(clicked)}` } as const]),
];

/** The kinds of event that a message may have raised so far. */
export const eventTypesOf = (message: StoredMessage): readonly EventType[] => {
  if (message.direction === 'inbound') return [receivedEventOf(message.channel)];
  const raised = Object.entries(rulesOf(message.channel).eventOf)
    .filter(([status]) => !advances(message.status, status as MessageStatus))
    .map(([, type]) => type);
  const failed = message.status === 'failed' ? eventTypeOf(message, 'failed') : undefined;
  return [...new Set<EventType>(['message.queued', ...raised, ...(failed ? [failed] : [])])];
};

/** Everything that was decided on a message and heard of it, oldest first; what happened in one millisecond keeps its order. */
export const timelineOf = (
  message: StoredMessage,
  deliveries: readonly MessageDelivery[],
  engagement?: Engagement | undefined,
): Step[] =>
  [...stepsOf(message), ...(engagement ? engaged(engagement) : []), ...deliveries.flatMap(delivered)].sort((a, b) =>
    a.at < b.at ? -1 : a.at > b.at ? 1 : 0,
  );
