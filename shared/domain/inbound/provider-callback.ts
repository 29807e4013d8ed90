import { channelOf, channelOfCallback } from '../channels/registry.ts';
import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { asId, derivedId } from '../core/ids.ts';
import { isoTime } from '../core/time.ts';
import type { Channel } from '../message/channel.ts';
import type { MessageRecord } from '../message/message.ts';
import type { MetaEvent } from '../message/meta-event.ts';
import type {
  CallbackReader,
  CallbackRequest,
  EngagementEvent,
  InboundEvent,
  ProviderEvent,
  ReceiptEvent,
  ReplyEvent,
} from '../message/provider-port.ts';
import { takeReceipt } from '../sending/apply-receipt.ts';
import { messageEvent } from '../tracking/events.ts';
import type {
  CallbackAddress,
  CallbackEffect,
  CallbackPorts,
  RefusedReading,
  SmsReplyPorts,
} from './callback-ports.ts';
import { ifSentBy, keepEarlyReceipt } from './early-receipts.ts';
import { OPT_OUT_CHANNELS, optOutWordOf } from './opt-out-words.ts';
import { type Owner, ownerOf } from './owner.ts';
import { handleReply, replyAsInbound } from './sms-reply.ts';

/** The provider and channel that a callback came from. */
interface CallbackSource {
  readonly channel: Channel;
  readonly provider: string;
  readonly isShared?: CallbackReader['isShared'];
  readonly namesOwnIdOnly?: CallbackReader['namesOwnIdOnly'];
}

type CallbackRefusal = Refusal<'BAD_REQUEST' | 'FORBIDDEN' | 'NOT_FOUND' | 'SERVICE_UNAVAILABLE'>;
/** Responses to refused callbacks. Providers drop callbacks refused with 4xx, and repeat those that fail with 5xx. */
const REFUSALS: Readonly<Record<RefusedReading, CallbackRefusal>> = {
  forged: refuse('FORBIDDEN', "The provider's signature is missing or wrong."),
  malformed: refuse('BAD_REQUEST', 'The callback is not in the format of this provider.'),
  unverifiable: refuse('SERVICE_UNAVAILABLE', {
    detail: 'The signature cannot be checked right now; call again.',
    retryAfterSeconds: 5,
  }),
};

/** Events of one callback handled concurrently: a provider's batch may hold a thousand. */
const CONCURRENCY = 8;
/** Longest reply that is stored, in characters: a concatenated SMS has at most 255 parts of 153 characters. */
const MAX_REPLY_LENGTH = 40_000;

/**
 * The URL that a provider called, as it signed it. The query is rebuilt from the decoded parameters, since the gateway passes on nothing
 * else; this is exact for URL-safe names and values, which our callback addresses are limited to.
 */
export const callbackUrl = (
  publicUrl: string,
  { provider, kind }: CallbackAddress,
  query: Readonly<Record<string, readonly string[] | undefined>> | null,
): string => {
  const pairs = Object.entries(query ?? {}).flatMap(([name, values = []]) =>
    values.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  const url = `${publicUrl}/callbacks/${provider}/${kind}`;
  return pairs.length > 0 ? `${url}?${pairs.join('&')}` : url;
};

/** The message of an event, by our reference or the provider's id; only if this provider sent it. */
const messageOf = async (
  ports: CallbackPorts,
  source: CallbackSource,
  event: ReceiptEvent | EngagementEvent,
): Promise<MessageRecord | undefined> => {
  const id = asId('message', event.messageId) ?? (await ports.correlate(source.provider, event.providerMessageId));
  return ifSentBy(source, id && (await ports.messageStore.read(id)));
};

/** Handles one kind of event of a callback. */
type EventHandler<E> = (ports: CallbackPorts, source: CallbackSource, event: E) => Promise<CallbackEffect>;

/** Takes a receipt of a message; one of a provider that names its own id only waits, since its message may not have that id yet. */
const handleReceipt: EventHandler<ReceiptEvent> = async (ports, source, event) => {
  const message = await messageOf(ports, source, event);
  if (message) return takeReceipt(ports, message, event);
  return source.namesOwnIdOnly ? keepEarlyReceipt(ports, source, event) : 'unmatched';
};

/** Raises the event of an open or a click. The event id is derived from the report, so a duplicate raises nothing. */
const handleEngagement: EventHandler<EngagementEvent> = async (ports, source, event) => {
  const message = await messageOf(ports, source, event);
  const type = message && channelOf(message.channel).engagementOf[event.what];
  if (!message || !type) return 'unmatched';
  const now = ports.clock();
  const at = Math.min(event.at ?? now, now);
  const terms = [message.id, event.what, String(event.at ?? ''), event.url ?? ''];
  const data = { at: isoTime(at), ...(event.url === undefined ? {} : { url: event.url }) };
  const raised = { ...messageEvent(type, message, now, data), id: derivedId('event', terms) };
  // Before the event is raised: a callback that fails in between is repeated, and a repeat of a raised one does nothing.
  await ports.interacted(message, at);
  return (await ports.raise(raised, { message, what: event.what, at })) ? 'kept' : 'repeated';
};

/** Truncates a reply and replaces lone surrogates, so that it can be stored and written as JSON. */
const sanitizeReply = (event: ReplyEvent): ReplyEvent => ({
  ...event,
  body: event.body.slice(0, MAX_REPLY_LENGTH).toWellFormed(),
});

/** Opts a sender who used an opt-out word out of the other organizations that wrote from the same shared sender. Idempotent. */
const stopOthers = async (
  ports: Pick<CallbackPorts, 'optOut'>,
  { others }: Owner,
  event: InboundEvent,
): Promise<void> => {
  const word = OPT_OUT_CHANNELS.has(event.channel) ? optOutWordOf(event) : undefined;
  if (word === undefined) return;
  const { channel, from, at } = event;
  await Promise.all(others.map((other) => ports.optOut(other, { channel, from, at, word })));
};

const handleInbound: EventHandler<InboundEvent> = async (ports, source, event) => {
  const owner = await ownerOf(ports, source, event);
  if (!owner) return 'unmatched';
  await stopOthers(ports, owner, event);
  return ports.inbound(owner.tenant, event, owner.message);
};

/** An SMS reply: charged if it answers a message, otherwise received like any other message to the organization's own number. */
export const handleSmsReply = async (
  ports: SmsReplyPorts,
  source: CallbackSource,
  given: ReplyEvent,
): Promise<CallbackEffect> => {
  const event = sanitizeReply(given);
  const inReplyTo = asId('message', event.inReplyTo?.messageId) ?? event.inReplyTo?.providerMessageId;
  const inbound = replyAsInbound(event);
  const owner = await ownerOf(ports, source, { ...inbound, inReplyTo });
  if (!owner) return 'unmatched';
  await stopOthers(ports, owner, inbound);
  return owner.message
    ? handleReply(ports, source.provider, owner.message, event)
    : ports.inbound(owner.tenant, inbound);
};

/** The combined effect of an event for several owners: `kept` over `repeated` over `unmatched`. */
const combinedEffect = (effects: readonly CallbackEffect[]): CallbackEffect =>
  (['kept', 'repeated'] as const).find((effect) => effects.includes(effect)) ?? 'unmatched';

/** The organizations of a Meta event; for a person's preference, the one that would receive their message. */
const tenantsOf = async (
  ports: CallbackPorts,
  source: CallbackSource,
  event: MetaEvent,
): Promise<readonly Tenant[]> => {
  const { channel } = source;
  if (event.about !== 'preference') return ports.ownersOf(channel, event.wabaId);
  const found = await ownerOf(ports, source, { channel, from: event.from, to: event.phoneNumberId, at: event.at });
  return found ? [found.tenant] : [];
};

const handleMetaEvent: EventHandler<MetaEvent> = async (ports, source, event) => {
  const owners = await tenantsOf(ports, source, event);
  return combinedEffect(await Promise.all(owners.map((owner) => ports.applyMetaEvent(owner, event))));
};

const handleEvent: EventHandler<ProviderEvent> = (ports, source, event) => {
  switch (event.kind) {
    case 'receipt':
      return handleReceipt(ports, source, event);
    case 'engagement':
      return handleEngagement(ports, source, event);
    case 'reply':
      return handleSmsReply(ports, source, event);
    case 'reply_part':
      return ports.replyPart(source.provider, event);
    case 'inbound':
      return handleInbound(ports, source, event);
    case 'platform':
      return handleMetaEvent(ports, source, event);
  }
};

type Effects = Map<ProviderEvent['kind'], Map<CallbackEffect, number>>;

/** Handles the events of one callback concurrently. Throws if one fails; the others stay applied, and the provider's repeat skips them. */
const handleEvents = async (
  ports: CallbackPorts,
  source: CallbackSource,
  events: readonly ProviderEvent[],
): Promise<Effects> => {
  const effects: Effects = new Map();
  for (let start = 0; start < events.length; start += CONCURRENCY) {
    const handling = events.slice(start, start + CONCURRENCY).map(async (event) => {
      const effect = await handleEvent(ports, source, event);
      const counts = effects.get(event.kind) ?? new Map<CallbackEffect, number>();
      effects.set(event.kind, counts.set(effect, (counts.get(effect) ?? 0) + 1));
    });
    // Wait for all of them: Lambda freezes the function once it has answered.
    for (const outcome of await Promise.allSettled(handling)) if (outcome.status === 'rejected') throw outcome.reason;
  }
  return effects;
};

/**
 * Handles a provider's callback. Nothing is processed before the adapter verified the signature. All effects are committed before the
 * answer and are idempotent, so that the provider can safely repeat the callback after a failure (docs/spec/callbacks.md#what-a-callback-answers).
 */
export const handleCallback = async (
  ports: CallbackPorts,
  address: CallbackAddress,
  request: CallbackRequest,
): Promise<'handled' | CallbackRefusal> => {
  const { provider: name, kind } = address;
  const channel = channelOfCallback(name, kind);
  const reader = channel && (await ports.readerOf(channel, name));
  if (!reader) return refuse('NOT_FOUND', 'This provider is not set up.');
  const reading = await reader.readCallback(request);
  if (reading.kind === 'confirmed') return 'handled';
  if (reading.kind !== 'events') {
    ports.observe.refused(name, reading.kind, reading.detail);
    return REFUSALS[reading.kind];
  }
  if (reading.unreadable) ports.observe.refused(name, 'malformed', `${reading.unreadable} entries of no known form`);
  if (reading.ignored?.length) ports.observe.ignored(name, reading.ignored);
  for (const [event, counts] of await handleEvents(
    ports,
    { channel, provider: name, isShared: reader.isShared, namesOwnIdOnly: reader.namesOwnIdOnly },
    reading.events,
  ))
    for (const [effect, count] of counts) ports.observe.handled(name, event, effect, count);
  return 'handled';
};

/** Answers a provider's challenge that verifies a callback address. 403 when the verification token is wrong. */
export const answerChallenge = async (
  ports: Pick<CallbackPorts, 'observe' | 'readerOf'>,
  { provider: name, kind }: CallbackAddress,
  query: Readonly<Record<string, string>>,
): Promise<string | Refusal<'FORBIDDEN' | 'NOT_FOUND'>> => {
  const channel = channelOfCallback(name, kind);
  const reader = channel && (await ports.readerOf(channel, name));
  if (!reader?.answerChallenge)
    return refuse('NOT_FOUND', 'This provider is not configured, or has no such verification.');
  const answer = reader.answerChallenge(query);
  if (answer !== undefined) return answer;
  ports.observe.refused(name, 'forged', 'a challenge without our token');
  return refuse('FORBIDDEN', 'The verification token is missing or wrong.');
};
