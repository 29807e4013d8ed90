import type { Id } from '../../shared/domain/core/ids.ts';
import type { Channel } from '../../shared/domain/message/channel.ts';
import type { Answer, Client } from './api.ts';
import type { GateCall, HoldAt } from './kill-gate.ts';

/** One message and where its process is killed. */
export interface Victim {
  readonly step: Step;
  /** SMS where none is named. */
  readonly channel?: Channel;
  readonly to: string;
  readonly key: string;
  readonly client: Client;
  readonly organizationId: Id<'organization'>;
  /** Known once its reservation was seen. */
  messageId?: Id<'message'>;
  /** Known once its change was seen. */
  eventId?: Id<'event'>;
}
export const channelOf = ({ channel = 'sms' }: Pick<Victim, 'channel'>): Channel => channel;

interface StepDeclaration {
  readonly gate: 'table' | 'provider';
  readonly at: HoldAt;
  readonly matches: (call: GateCall, victim: Victim) => boolean;
  /** The send is through, and a receipt of it is under way. */
  readonly receipt?: 'delivered';
  /** It waits in its queue before: a step of the channels whose messages leave by themselves. */
  readonly queued?: true;
  /** It was sent by RCS with a fallback to SMS, and a receipt that it cannot be delivered is under way. */
  readonly step?: true;
}

/** Whether a call commits a change. */
export const writes = (call: GateCall): boolean => call.action === 'TransactWriteItems';
export const reserves = (call: GateCall, { to }: Victim): boolean =>
  writes(call) && call.body.includes('IDEM#') && call.body.includes(to);
/** Whether a call takes a message from its queue. */
export const claimsMessage = ({ action, body }: GateCall): boolean =>
  action === 'UpdateItem' && body.includes('MSG#') && body.includes('attempts');
/** Whether it takes the victim's: none but a message that leaves by itself has one. */
const begins = (call: GateCall, { messageId }: Victim): boolean =>
  messageId !== undefined && claimsMessage(call) && call.body.includes(`MSG#${messageId}`);
const dispatches = (call: GateCall, { to }: Victim) => call.method === 'POST' && call.body.includes(to.slice(1));
/** Whether a call captures the victim's hold. */
export const settles = (call: GateCall, { messageId }: Victim): boolean =>
  writes(call) && messageId !== undefined && call.body.includes(`MSG#${messageId}`) && call.body.includes('captured');
/** Whether a call applies a receipt of the victim: nothing else writes the provider's own status to a message. */
export const applies = (call: GateCall, { messageId }: Victim): boolean =>
  writes(call) &&
  messageId !== undefined &&
  call.body.includes(`MSG#${messageId}`) &&
  call.body.includes('providerReceipt');
const marks = (call: GateCall, { eventId }: Victim) =>
  call.action === 'BatchWriteItem' && eventId !== undefined && call.body.includes(`EVT#${eventId}`);
/** The key of a fallback's step has a line break, which JSON writes as two characters, and JSON in JSON as three. */
const steps = (call: GateCall, victim: Victim) => reserves(call, victim) && /step\\{1,2}n/.test(call.body);

/** Every step of a message's life at which its process may end, one row each. */
export const STEPS = {
  before_reserve: { gate: 'table', at: 'before', matches: reserves },
  after_reserve: { gate: 'table', at: 'after', matches: reserves },
  before_begin: { gate: 'table', at: 'before', matches: begins, queued: true },
  after_begin: { gate: 'table', at: 'after', matches: begins, queued: true },
  before_provider: { gate: 'provider', at: 'before', matches: dispatches },
  after_provider: { gate: 'provider', at: 'after', matches: dispatches },
  before_settle: { gate: 'table', at: 'before', matches: settles },
  after_settle: { gate: 'table', at: 'after', matches: settles },
  answered: { gate: 'table', at: 'before', matches: () => false },
  before_receipt: { gate: 'table', at: 'before', matches: applies, receipt: 'delivered' },
  after_receipt: { gate: 'table', at: 'after', matches: applies, receipt: 'delivered' },
  before_published: { gate: 'table', at: 'before', matches: marks, receipt: 'delivered' },
  after_published: { gate: 'table', at: 'after', matches: marks, receipt: 'delivered' },
  before_step: { gate: 'table', at: 'before', matches: steps, step: true },
  after_step: { gate: 'table', at: 'after', matches: steps, step: true },
} as const satisfies Readonly<Record<string, StepDeclaration>>;
export type Step = keyof typeof STEPS;
export const declarationOf = (step: Step): StepDeclaration => STEPS[step];

/** The steps of an SMS: all but those of a queue and of a fallback. */
export const STEP_NAMES = (Object.keys(STEPS) as Step[]).filter(
  (step) => !declarationOf(step).step && !declarationOf(step).queued,
);

/**
 * The steps whose code is another on the channel than on SMS: its queue, where its messages leave by themselves, its provider's call and
 * what is known of it later, and its fallback. A push fans out to its devices, and is killed by tests of its own (test/faults/push-kill.test.ts).
 */
const CHANNEL_STEPS = {
  rcs: ['before_provider', 'after_provider', 'before_settle', 'after_settle', 'before_step', 'after_step'],
  email: ['before_provider', 'after_provider', 'before_settle', 'after_settle'],
  whatsapp: ['after_reserve', 'before_begin', 'after_begin', 'after_provider'],
  instagram: ['after_provider', 'after_settle'],
} as const satisfies Readonly<Record<Exclude<Channel, 'sms' | 'push'>, readonly Step[]>>;

/** A step of a channel. */
export interface Kind {
  readonly channel: Channel;
  readonly step: Step;
}
/** Every step of every channel but SMS, whose own are the others. */
export const OTHER_KINDS = Object.entries(CHANNEL_STEPS).flatMap(([channel, steps]) =>
  steps.map((step): Kind => ({ channel: channel as Channel, step })),
);

const phone = (nth: number) => `+5511${String(980_000_000 + nth)}`;
const RECIPIENTS: Readonly<Record<Channel, (nth: number) => string>> = {
  sms: phone,
  rcs: phone,
  whatsapp: phone,
  email: (nth) => `cliente-${nth}@loja.example`,
  instagram: (nth) => `178414000${String(nth).padStart(8, '0')}`,
  push: (nth) => `aparelho-${String(nth).padStart(8, '0')}:APA91b`,
};
/** A recipient of a channel; each number is another's, on every channel. */
export const recipientOf = (channel: Channel, nth: number): string => RECIPIENTS[channel](nth);

const TEXT = 'Seu pedido saiu para entrega.';
const TEMPLATE = { template: { name: 'pedido_enviado', language: 'pt-BR' } };
const ofText = { type: 'text', payload: { text: TEXT } };

/** The request of each channel's callers: the path, and the body without the recipient. */
const REQUESTS: Readonly<Record<Channel, readonly [path: string, body: object]>> = {
  sms: ['/v2/sms/messages', { body: TEXT, route: 'premium' }],
  rcs: ['/v2/rcs/messages', { content: { text: TEXT }, route: 'easy_rcs' }],
  email: ['/v2/email/messages', { from: 'ola@loja.example', subject: 'Pedido', text: TEXT }],
  whatsapp: ['/messages', { channel: 'whatsapp', type: 'template', payload: TEMPLATE }],
  instagram: ['/messages', { channel: 'instagram', ...ofText }],
  push: ['/messages', { channel: 'push', ...ofText }],
};
/** One with a fallback leaves by itself. */
const WITH_FALLBACK = [
  '/v1/messages',
  { channel: 'rcs', text: TEXT, fallback: ['sms'], fallback_after: '2h' },
] as const;

/** Sends a victim's message as its channel's callers do. */
export const sendAs = (victim: Victim): Promise<Answer> => {
  const { client, to, key, step } = victim;
  const [path, body] = declarationOf(step).step ? WITH_FALLBACK : REQUESTS[channelOf(victim)];
  return client.post(path, { ...body, to }, { 'idempotency-key': key });
};
