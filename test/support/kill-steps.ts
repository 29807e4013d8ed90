import type { Answer, Client } from './api.ts';
import type { LiveChannel } from './channel-plans-live.ts';
import type { GateCall, HoldAt } from './kill-gate.ts';

/** One message and where its process is killed. */
export interface Victim {
  readonly step: Step;
  /** SMS where none is named. */
  readonly channel?: LiveChannel;
  readonly to: string;
  readonly key: string;
  readonly client: Client;
  readonly organizationId: string;
  /** Known once its reservation was seen. */
  messageId?: string;
  /** Known once its change was seen. */
  eventId?: string;
}
export const channelOf = ({ channel = 'sms' }: Pick<Victim, 'channel'>): LiveChannel => channel;

interface StepDeclaration {
  readonly gate: 'table' | 'provider';
  readonly at: HoldAt;
  readonly matches: (call: GateCall, victim: Victim) => boolean;
  /** The send is through, and a receipt of it is under way. */
  readonly receipt?: 'delivered';
  /** It was sent by RCS with a fallback to SMS, and a receipt that it cannot be delivered is under way. */
  readonly hop?: true;
}

/** Whether a call commits a change. */
export const writes = (call: GateCall): boolean => call.action === 'TransactWriteItems';
export const reserves = (call: GateCall, { to }: Victim): boolean =>
  writes(call) && call.body.includes('IDEM#') && call.body.includes(to);
const dispatches = (call: GateCall, { to }: Victim) => call.method === 'POST' && call.body.includes(to.slice(1));
/** Whether a call captures the victim's hold. */
export const settles = (call: GateCall, { messageId }: Victim): boolean =>
  writes(call) && messageId !== undefined && call.body.includes(`MSG#${messageId}`) && call.body.includes('captured');
/** Whether a call applies a receipt of the victim. */
export const applies = (call: GateCall, { messageId }: Victim): boolean =>
  writes(call) && messageId !== undefined && call.body.includes(`MSG#${messageId}`) && call.body.includes('RCPT#');
const marks = (call: GateCall, { eventId }: Victim) =>
  call.action === 'BatchWriteItem' && eventId !== undefined && call.body.includes(`EVT#${eventId}`);
/** A hop's own key has a line break, which JSON writes as two characters. */
const hops = (call: GateCall, victim: Victim) => reserves(call, victim) && call.body.includes('hop\\n');

/** Every step of a message's life at which its process may end, one row each. */
export const STEPS = {
  before_reserve: { gate: 'table', at: 'before', matches: reserves },
  after_reserve: { gate: 'table', at: 'after', matches: reserves },
  before_provider: { gate: 'provider', at: 'before', matches: dispatches },
  after_provider: { gate: 'provider', at: 'after', matches: dispatches },
  before_settle: { gate: 'table', at: 'before', matches: settles },
  after_settle: { gate: 'table', at: 'after', matches: settles },
  answered: { gate: 'table', at: 'before', matches: () => false },
  before_receipt: { gate: 'table', at: 'before', matches: applies, receipt: 'delivered' },
  after_receipt: { gate: 'table', at: 'after', matches: applies, receipt: 'delivered' },
  before_published: { gate: 'table', at: 'before', matches: marks, receipt: 'delivered' },
  after_published: { gate: 'table', at: 'after', matches: marks, receipt: 'delivered' },
  before_hop: { gate: 'table', at: 'before', matches: hops, hop: true },
  after_hop: { gate: 'table', at: 'after', matches: hops, hop: true },
} as const satisfies Readonly<Record<string, StepDeclaration>>;
export type Step = keyof typeof STEPS;
export const declarationOf = (step: Step): StepDeclaration => STEPS[step];

/** The steps of an SMS: all but those of a fallback. */
export const STEP_NAMES = (Object.keys(STEPS) as Step[]).filter((step) => !declarationOf(step).hop);

/** The steps whose code is another on the channel than on SMS: its provider's call and what is known of it later, and its fallback. */
export const CHANNEL_STEPS = {
  rcs: ['before_provider', 'after_provider', 'before_settle', 'after_settle', 'before_hop', 'after_hop'],
  email: ['before_provider', 'after_provider', 'before_settle', 'after_settle'],
} as const satisfies Readonly<Record<Exclude<LiveChannel, 'sms'>, readonly Step[]>>;

const TEXT = 'Seu pedido saiu para entrega.';
export const textOf = ({ to }: Pick<Victim, 'to'>) => ({ to, body: TEXT, route: 'premium' });

/** Sends a victim's message as its channel's callers do; one with a fallback leaves by itself. */
export const sendAs = (victim: Victim): Promise<Answer> => {
  const { client, to, key, step } = victim;
  const post = (path: string, body: object) => client.post(path, body, { 'idempotency-key': key });
  if (declarationOf(step).hop)
    return post('/v1/messages', { channel: 'rcs', to, text: TEXT, fallback: ['sms'], fallback_after: '2h' });
  switch (channelOf(victim)) {
    case 'sms':
      return client.send(textOf(victim), key);
    case 'rcs':
      return post('/v2/rcs/messages', { to, content: { text: TEXT }, route: 'easy_rcs' });
    case 'email':
      return post('/v2/email/messages', { to, from: 'ola@loja.example', subject: 'Pedido', text: TEXT });
  }
};
