import { type Refusal, refuse } from '../errors.ts';
import type { DomainEvent } from '../events/event.ts';
import { derivedId, isId } from '../ids.ts';
import { type ReplyPorts, takeReply } from '../sms/replies.ts';
import { isoTime } from '../time.ts';
import { rulesOf } from './channels.ts';
import { messageEvent } from './events.ts';
import type { MessageRecord } from './message.ts';
import type { Tenant } from './plan.ts';
import type { Routing } from './ports.ts';
import type {
  CallbackReading,
  CallbackRequest,
  Channel,
  EngagementEvent,
  InboundEvent,
  PlatformEvent,
  Provider,
  ProviderEvent,
  ReceiptEvent,
  ReplyEvent,
} from './provider.ts';
import type { ParkedReceipt } from './receipts.ts';
import { lastSentTo } from './recipient.ts';

/** Whose callback it is: the provider, and which of its channels the address stands for. */
export interface CallbackAddress {
  readonly channel: Channel;
  readonly provider: string;
}

/** An open or a click of a message, at ms. */
export interface Engaged {
  readonly messageId: string;
  readonly what: EngagementEvent['what'];
  readonly at: number;
}

/** Where a callback's events are taken: `shares` as the provider tells. */
interface CallbackPlace extends CallbackAddress {
  readonly shares?: Provider<unknown>['shares'];
}

/** What became of one event of a callback. */
export type CallbackEffect = 'parked' | 'kept' | 'repeated' | 'unmatched';

type CallbackRefusal = Refusal<'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'SERVICE_UNAVAILABLE'>;
type RefusedReading = Exclude<CallbackReading['kind'], 'confirmed' | 'events'>;

/** Why a callback is not taken. Providers drop what is refused with 4xx, and repeat what fails with 5xx. */
const REFUSALS: Readonly<Record<RefusedReading, CallbackRefusal>> = {
  forged: refuse('FORBIDDEN', "The provider's signature is missing or wrong."),
  malformed: refuse('BAD_REQUEST', 'The callback is not in the format of this provider.'),
  unverifiable: refuse('SERVICE_UNAVAILABLE', {
    detail: 'The signature cannot be checked right now; call again.',
    retryAfterSeconds: 5,
  }),
};

/** Metrics and logs of callbacks; names and codes only. */
export interface CallbackObserver {
  /** How many events of a callback had this effect. */
  taken(provider: string, kind: ProviderEvent['kind'], effect: CallbackEffect, count: number): void;
  refused(provider: string, cause: RefusedReading, detail: string): void;
  /** What a platform reports on that nobody reads here, by its own names. */
  ignored(provider: string, fields: readonly string[]): void;
}

export interface CallbackPorts extends ReplyPorts {
  readonly routing: Pick<Routing, 'provider'>;
  /** Keeps a receipt until it is applied. The same one twice is one. */
  readonly park: (messageId: string, event: ReceiptEvent, now: number) => Promise<ParkedReceipt>;
  /** Keeps and hands on an event, with the open or the click that it tells of. False when it was raised already: nothing is counted twice. */
  readonly raise: (event: DomainEvent, engaged?: Engaged) => Promise<boolean>;
  /** Hands a kept receipt on early; may be lost. */
  readonly hintReceipt: (receipt: ParkedReceipt) => void;
  /** Whose a platform's number or account is, by the platform's own id of it. A business account may hold numbers of several. */
  readonly ownersOf: (channel: Channel, account: string) => Promise<readonly Tenant[]>;
  /** Keeps an inbound message with all that follows from it, in one transaction. `repeated` when it is kept already. */
  readonly inbound: (tenant: Tenant, event: InboundEvent) => Promise<'kept' | 'repeated'>;
  /** Applies what a platform says of a template, a number or an account, in one transaction; `unmatched` when there is none. */
  readonly platform: (tenant: Tenant, event: PlatformEvent) => Promise<'kept' | 'repeated' | 'unmatched'>;
  readonly observe: CallbackObserver;
}

/** Events of one callback that are worked on at once: a provider's batch may hold a thousand. */
const AT_ONCE = 8;
/** The longest text that a concatenated SMS carries is 255 parts of 153 characters; more than this is no reply. */
const REPLY_LENGTH = 40_000;

/**
 * The address that a provider called, as it signed it: its query is put together again from the decoded parameters, which is all that
 * the gateway hands on. Exact for names and values of URL-safe characters, which are all that our own callback addresses have.
 */
export const callbackUrl = (
  publicUrl: string,
  { provider, kind }: { provider: string; kind: string },
  query: Readonly<Record<string, readonly string[] | undefined>> | null,
): string => {
  const pairs = Object.entries(query ?? {}).flatMap(([name, values = []]) =>
    values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  const address = `${publicUrl}/callbacks/${provider}/${kind}`;
  return pairs.length > 0 ? `${address}?${pairs.join('&')}` : address;
};

/** Only what can be one of our ids: anything else would be a key of the table's that a caller chose. */
const ourId = (id: string | undefined) => (id !== undefined && isId('message', id) ? id : undefined);

/** The message that an event names, else the one that the provider's id stands for; only one that this provider carries. */
const messageOf = async (
  ports: CallbackPorts,
  { channel, provider }: CallbackAddress,
  event: ReceiptEvent | EngagementEvent,
): Promise<MessageRecord | undefined> => {
  const id = ourId(event.messageId) ?? (await ports.correlate(provider, event.providerMessageId));
  const message = id === undefined ? undefined : await ports.journal.read(id);
  // A provider that refused the message has no say in it any more once another one carries it.
  return message?.provider === provider && message.channel === channel ? message : undefined;
};

const takeReceipt = async (
  ports: CallbackPorts,
  address: CallbackAddress,
  event: ReceiptEvent,
): Promise<CallbackEffect> => {
  const message = await messageOf(ports, address, event);
  if (!message) return 'unmatched';
  ports.hintReceipt(await ports.park(message.id, event, ports.clock()));
  return 'parked';
};

/** Raises the event of an open or a click; a repeated report has the same event's id, so that it is one. */
const takeEngagement = async (
  ports: CallbackPorts,
  address: CallbackAddress,
  event: EngagementEvent,
): Promise<CallbackEffect> => {
  const message = await messageOf(ports, address, event);
  const type = message && rulesOf(message.channel).engagementOf[event.what];
  if (!message || !type) return 'unmatched';
  const now = ports.clock();
  const at = Math.min(event.at ?? now, now);
  const terms = [message.id, event.what, String(event.at ?? ''), event.url ?? ''];
  const data = { at: isoTime(at), ...(event.url === undefined ? {} : { url: event.url }) };
  const raised = { ...messageEvent(type, message, now, data), id: derivedId('event', terms) };
  return (await ports.raise(raised, { messageId: message.id, what: event.what, at })) ? 'kept' : 'repeated';
};

/** A reply with a text that the table and every reader of JSON can hold, and without ids that are none of ours. */
const cleanReply = ({ inReplyTo, ...event }: ReplyEvent): ReplyEvent => {
  const messageId = ourId(inReplyTo?.messageId);
  const { providerMessageId } = inReplyTo ?? {};
  return {
    ...event,
    body: event.body.slice(0, REPLY_LENGTH).toWellFormed(),
    inReplyTo: {
      ...(messageId === undefined ? {} : { messageId }),
      ...(providerMessageId === undefined ? {} : { providerMessageId }),
    },
  };
};

/** What tells whose a person's words are: who wrote, to which account of the platform, and what it answers. */
type Addressed = Pick<InboundEvent, 'channel' | 'from' | 'to' | 'inReplyTo'>;

/** The message that an inbound one answers, as the platform tells, else the last one that this provider carried to its sender. */
const answeredBy = async (
  ports: CallbackPorts,
  { channel, provider }: CallbackAddress,
  event: Addressed,
): Promise<MessageRecord | undefined> => {
  const id =
    (event.inReplyTo === undefined ? undefined : await ports.correlate(provider, event.inReplyTo)) ??
    (await ports.correlate(provider, lastSentTo(event.channel, await ports.hashRecipient(event.from))));
  const message = id === undefined ? undefined : await ports.journal.read(id);
  return message?.channel === channel ? message : undefined;
};

/**
 * Whose an inbound message is: the owner's of the number that it came to; on a number that several share, of who wrote to its sender last.
 * A number that was an organization's once is nobody's: what is written to it is for no other's eyes.
 */
const recipientOf = async (
  ports: CallbackPorts,
  address: CallbackPlace,
  event: Addressed,
): Promise<Tenant | undefined> => {
  const owners = event.to === undefined ? [] : await ports.ownersOf(address.channel, event.to);
  if (owners.length === 1) return owners[0];
  if (owners.length === 0 && event.to !== undefined && address.shares?.(event.to) === false) return undefined;
  const answered = await answeredBy(ports, address, event);
  return owners.length === 0
    ? answered
    : owners.find(({ organizationId }) => organizationId === answered?.organizationId);
};

const takeInbound = async (
  ports: CallbackPorts,
  address: CallbackPlace,
  event: InboundEvent,
): Promise<CallbackEffect> => {
  const found = await recipientOf(ports, address, event);
  if (!found) return 'unmatched';
  const { organizationId, env } = found;
  return ports.inbound({ organizationId, env }, event);
};

/** The strongest of the effects that an event had on several owners. */
const strongest = (effects: readonly CallbackEffect[]): CallbackEffect =>
  (['kept', 'repeated'] as const).find((effect) => effects.includes(effect)) ?? 'unmatched';

/** Whom a platform's report concerns: what a person says to a number is for whom a message there would be for. */
const concerned = async (
  ports: CallbackPorts,
  address: CallbackPlace,
  event: PlatformEvent,
): Promise<readonly Tenant[]> => {
  const { channel } = address;
  if (event.about !== 'preference') return ports.ownersOf(channel, event.wabaId);
  const found = await recipientOf(ports, address, { channel, from: event.from, to: event.phoneNumberId });
  return found ? [{ organizationId: found.organizationId, env: found.env }] : [];
};

const takePlatform = async (
  ports: CallbackPorts,
  address: CallbackPlace,
  event: PlatformEvent,
): Promise<CallbackEffect> => {
  const owners = await concerned(ports, address, event);
  return strongest(await Promise.all(owners.map((owner) => ports.platform(owner, event))));
};

const takeEvent = (ports: CallbackPorts, address: CallbackPlace, event: ProviderEvent): Promise<CallbackEffect> => {
  switch (event.kind) {
    case 'receipt':
      return takeReceipt(ports, address, event);
    case 'engagement':
      return takeEngagement(ports, address, event);
    case 'reply':
      return takeReply(ports, address.provider, cleanReply(event));
    case 'inbound':
      return takeInbound(ports, address, event);
    case 'platform':
      return takePlatform(ports, address, event);
  }
};

type Effects = Map<ProviderEvent['kind'], Map<CallbackEffect, number>>;

/** Takes the events of one callback, some at once. Throws when one could not be taken: the others are, and a repeat finds them so. */
const takeEvents = async (
  ports: CallbackPorts,
  address: CallbackPlace,
  events: readonly ProviderEvent[],
): Promise<Effects> => {
  const effects: Effects = new Map();
  for (let start = 0; start < events.length; start += AT_ONCE) {
    const taking = events.slice(start, start + AT_ONCE).map(async (event) => {
      const effect = await takeEvent(ports, address, event);
      const counts = effects.get(event.kind) ?? new Map<CallbackEffect, number>();
      effects.set(event.kind, counts.set(effect, (counts.get(effect) ?? 0) + 1));
    });
    // All come to their end before the answer: a function is frozen once it has answered.
    for (const outcome of await Promise.allSettled(taking)) if (outcome.status === 'rejected') throw outcome.reason;
  }
  return effects;
};

/**
 * Takes a provider's callback. Nothing is believed before the adapter has checked the signature. Every event's effect is committed
 * before the answer, and a repeat of any has none: a fault in between makes the provider call again, which is safe.
 */
export const takeCallback = async (
  ports: CallbackPorts,
  address: CallbackAddress,
  request: CallbackRequest,
): Promise<'taken' | CallbackRefusal> => {
  const { channel, provider: name } = address;
  const provider = await ports.routing.provider(channel, name);
  if (!provider) return refuse('NOT_FOUND', 'This provider is not set up.');
  const reading = await provider.readCallback(request);
  if (reading.kind === 'confirmed') return 'taken';
  if (reading.kind !== 'events') {
    ports.observe.refused(name, reading.kind, reading.detail);
    return REFUSALS[reading.kind];
  }
  if (reading.unread) ports.observe.refused(name, 'malformed', `${reading.unread} entries of no known form`);
  if (reading.ignored?.length) ports.observe.ignored(name, reading.ignored);
  for (const [kind, counts] of await takeEvents(ports, { ...address, shares: provider.shares }, reading.events))
    for (const [effect, count] of counts) ports.observe.taken(name, kind, effect, count);
  return 'taken';
};

/** Answers the question that a platform asks before it calls an address back. 403 when it does not prove who asks. */
export const answerChallenge = async (
  ports: Pick<CallbackPorts, 'routing' | 'observe'>,
  { channel, provider: name }: CallbackAddress,
  query: Readonly<Record<string, string>>,
): Promise<string | Refusal<'FORBIDDEN' | 'NOT_FOUND'>> => {
  const provider = await ports.routing.provider(channel, name);
  if (!provider?.answerChallenge) return refuse('NOT_FOUND', 'This provider is not set up, or asks no such question.');
  const answer = provider.answerChallenge(query);
  if (answer !== undefined) return answer;
  ports.observe.refused(name, 'forged', 'a challenge without our token');
  return refuse('FORBIDDEN', 'The verification token is missing or wrong.');
};
