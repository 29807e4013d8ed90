import type { Environment } from '../actor.ts';
import type { DomainEvent } from '../events/event.ts';
import { derivedId, type Id } from '../ids.ts';
import type { InboundMessage } from '../inbound/message.ts';
import {
  changeOf,
  type InboundChange,
  type InboundOutcome,
  type InboundReads,
  incoming,
  settleInbound,
} from '../inbound/receive.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { SendPorts } from '../messages/ports.ts';
import type { InboundEvent, ReplyEvent } from '../messages/provider.ts';
import { lastSentTo } from '../messages/recipient.ts';
import { asCoins, type Coins, NO_COINS } from '../money.ts';
import { maskPhone } from '../phone.ts';
import { priceRowOf } from '../pricing/prices.ts';
import { isoTime } from '../time.ts';
import type { SmsRoute } from './provider.ts';

/** An inbound reply as it is stored (interface 2.2). Times are ms. */
export interface ReplyRecord {
  readonly id: Id<'reply'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly inReplyTo: Id<'message'>;
  /** Absent where what it answers left by another channel's SMS fallback. */
  readonly route?: SmsRoute | undefined;
  readonly from: string;
  readonly body: string;
  readonly coins: Coins;
  readonly receivedAt: number;
  readonly createdAt: number;
}

export interface ReplyPorts extends Pick<SendPorts, 'prices' | 'journal' | 'hashRecipient'>, InboundReads {
  readonly correlate: (provider: string, reference: string) => Promise<string | undefined>;
  /** Stores the reply, charges it, raises its event, and keeps it as an inbound message, in one transaction. */
  readonly keep: (reply: ReplyRecord, event: DomainEvent, inbound: InboundChange) => Promise<InboundOutcome>;
}

/** A provider's reply always has the same id, so that a repeated callback is one reply and one charge. */
export const replyIdOf = (provider: string, providerReplyId: string): Id<'reply'> =>
  derivedId('reply', [provider, providerReplyId]);

const answered = async (ports: ReplyPorts, provider: string, event: ReplyEvent): Promise<MessageRecord | undefined> => {
  const { inReplyTo } = event;
  const id =
    inReplyTo?.messageId ??
    (inReplyTo?.providerMessageId ? await ports.correlate(provider, inReplyTo.providerMessageId) : undefined) ??
    (await ports.correlate(provider, lastSentTo('sms', await ports.hashRecipient(event.from))));
  return id ? ports.journal.read(id) : undefined;
};

const replyTo = async (
  ports: ReplyPorts,
  message: MessageRecord,
  id: Id<'reply'>,
  event: ReplyEvent,
): Promise<ReplyRecord> => {
  const row = priceRowOf(await ports.prices(), 'sms', 'reply');
  const now = ports.clock();
  return {
    id,
    organizationId: message.organizationId,
    env: message.env,
    inReplyTo: message.id,
    route: message.channel === 'sms' ? (message.route as SmsRoute) : undefined,
    from: event.from,
    body: event.body,
    coins: row?.bands[0] ? asCoins(row.bands[0].coins) : NO_COINS,
    receivedAt: Math.min(event.at, now),
    createdAt: now,
  };
};

/** The reply as a message of the unified list. */
const asInbound = ({ providerReplyId, from, to, body, at }: ReplyEvent): InboundEvent => ({
  kind: 'inbound',
  providerMessageId: providerReplyId,
  channel: 'sms',
  from,
  to,
  type: 'text',
  text: body,
  payload: {},
  at,
});

/** What sms.received says: the reply by its own id, and which inbound message it is. */
const replyData = (reply: ReplyRecord) => (message: InboundMessage) => ({
  id: reply.id,
  messageId: message.id,
  body: reply.body,
  ...(reply.route === undefined ? {} : { route: reply.route }),
  type: undefined,
  payload: undefined,
});

/**
 * Takes an inbound reply: finds the SMS that it answers as the provider tells, else the last one that this provider carried to that phone.
 * It is kept as a reply, charged once, and as an inbound message with all that follows from one.
 * `unmatched` when there is no such SMS: nobody could be charged for the reply or told of it.
 */
export const takeReply = async (
  ports: ReplyPorts,
  provider: string,
  event: ReplyEvent,
): Promise<'kept' | 'repeated' | 'unmatched'> => {
  const message = await answered(ports, provider, event);
  if (!message) return 'unmatched';
  const id = replyIdOf(provider, event.providerReplyId);
  const reply = await replyTo(ports, message, id, event);
  const found = await incoming(ports, message, asInbound(event), { answered: message, reference: id });
  return settleInbound(ports, found, (sender) => {
    const { events, ...change } = changeOf(found, sender, replyData(reply));
    const [received, ...others] = events as readonly [DomainEvent, ...DomainEvent[]];
    return ports.keep(reply, received, { ...change, events: others });
  });
};

/** interface 2.2. `from` is masked without pii:full. */
export const replyView = (reply: ReplyRecord, unmasked: boolean) => ({
  id: reply.id,
  env: reply.env,
  inReplyTo: reply.inReplyTo,
  ...(reply.route === undefined ? {} : { route: reply.route }),
  from: unmasked ? reply.from : maskPhone(reply.from),
  body: reply.body,
  receivedAt: isoTime(reply.receivedAt),
  createdAt: isoTime(reply.createdAt),
});
