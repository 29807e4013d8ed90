import type { SmsRoute } from '../channels/sms/content.ts';
import type { Tenant } from '../core/actor.ts';
import { derivedId, type Id } from '../core/ids.ts';
import { asCoins, type Coins, NO_COINS } from '../core/money.ts';
import { maskPhone } from '../core/phone.ts';
import { isoTime } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { MessageRecord } from '../message/message.ts';
import type { InboundEvent, ReplyEvent } from '../message/provider-port.ts';
import { priceRowOf } from '../pricing/prices.ts';
import type { SendPorts } from '../sending/ports.ts';
import {
  type InboundChange,
  type InboundOutcome,
  type InboundReads,
  inboundChange,
  parseInbound,
  storeInbound,
} from './receive.ts';

/** A stored SMS reply (docs/spec/sms.md#sms-replies). Times are ms. */
export interface ReplyRecord extends Tenant {
  readonly id: Id<'reply'>;
  readonly inReplyTo: Id<'message'>;
  /** Absent when it replies to the SMS fallback of another channel's message. */
  readonly route?: SmsRoute | undefined;
  readonly from: string;
  readonly body: string;
  readonly coins: Coins;
  readonly receivedAt: number;
  /** The SMPP account that receives it, because it submitted the answered message, and when that was created. */
  readonly smpp?: { readonly accountId: Id<'smppAccount'>; readonly sentAt: number } | undefined;
  readonly createdAt: number;
}

export interface ReplyPorts extends Pick<SendPorts, 'prices'>, InboundReads {
  /** Stores the reply and its inbound message, charges it and raises its event, in one transaction. */
  readonly store: (reply: ReplyRecord, event: DomainEvent, inbound: InboundChange) => Promise<InboundOutcome>;
}

/** The id derived from the provider's id: a repeated callback is one reply and one charge. */
export const replyIdOf = (provider: string, providerReplyId: string): Id<'reply'> =>
  derivedId('reply', [provider, providerReplyId]);

const toReply = async (
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
    ...(message.smpp ? { smpp: { accountId: message.smpp.accountId, sentAt: message.createdAt } } : {}),
    createdAt: now,
  };
};

/** The reply as an inbound event. */
export const replyAsInbound = ({ providerReplyId, from, to, body, at }: ReplyEvent): InboundEvent => ({
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

/** Data of sms.received that a reply adds to its inbound message. */
const replyData = ({ id, body, route }: ReplyRecord) => ({ id, body, ...(route === undefined ? {} : { route }) });

/**
 * Handles an SMS reply to a message: stores it as a reply, charged once, and as an inbound message with its effects.
 */
export const handleReply = async (
  ports: ReplyPorts,
  provider: string,
  message: MessageRecord,
  event: ReplyEvent,
): Promise<'kept' | 'repeated'> => {
  const id = replyIdOf(provider, event.providerReplyId);
  const reply = await toReply(ports, message, id, event);
  const found = await parseInbound(ports, message, replyAsInbound(event), { repliedTo: message, reference: id });
  return storeInbound(ports, found, (sender) => {
    const { events, ...change } = inboundChange(found, sender, replyData(reply));
    const [received, ...others] = events as readonly [DomainEvent, ...DomainEvent[]];
    return ports.store(reply, received, { ...change, events: others });
  });
};

/** A reply on the wire (docs/spec/sms.md#sms-replies). `from` is masked without pii:full. */
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
