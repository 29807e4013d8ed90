import type { Environment } from '../actor.ts';
import { type DomainEvent, newEvent } from '../events/event.ts';
import { derivedId, type Id } from '../ids.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { SendPorts } from '../messages/ports.ts';
import type { ReplyEvent } from '../messages/provider.ts';
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
  readonly route: SmsRoute;
  readonly from: string;
  readonly body: string;
  readonly coins: Coins;
  readonly receivedAt: number;
  readonly createdAt: number;
}

export interface ReplyPorts extends Pick<SendPorts, 'clock' | 'prices' | 'journal' | 'hashRecipient'> {
  readonly correlate: (provider: string, reference: string) => Promise<string | undefined>;
  /** Stores the reply, charges it and raises its event, in one transaction. False when this reply is stored already. */
  readonly keep: (reply: ReplyRecord, event: DomainEvent) => Promise<boolean>;
}

/** A provider's reply always has the same id, so that a repeated callback is one reply and one charge. */
export const replyIdOf = (provider: string, providerReplyId: string): Id<'reply'> =>
  derivedId('reply', [provider, providerReplyId]);

const answered = async (ports: ReplyPorts, provider: string, event: ReplyEvent): Promise<MessageRecord | undefined> => {
  const { inReplyTo } = event;
  const id =
    inReplyTo?.messageId ??
    (inReplyTo?.providerMessageId ? await ports.correlate(provider, inReplyTo.providerMessageId) : undefined) ??
    (await ports.correlate(provider, `to:${await ports.hashRecipient(event.from)}`));
  return id ? ports.journal.read(id) : undefined;
};

/**
 * Takes an inbound reply: finds the SMS that it answers as the provider tells, else the last one that this provider carried to that phone.
 * `unmatched` when there is none: nobody could be charged for it or told of it.
 */
export const takeReply = async (
  ports: ReplyPorts,
  provider: string,
  event: ReplyEvent,
): Promise<'kept' | 'repeated' | 'unmatched'> => {
  const message = await answered(ports, provider, event);
  if (!message) return 'unmatched';
  const row = priceRowOf(await ports.prices(), 'sms', 'reply');
  const now = ports.clock();
  const { organizationId, env } = message;
  const reply: ReplyRecord = {
    id: replyIdOf(provider, event.providerReplyId),
    organizationId,
    env,
    inReplyTo: message.id,
    route: message.route as SmsRoute,
    from: event.from,
    body: event.body,
    coins: row?.bands[0] ? asCoins(row.bands[0].coins) : NO_COINS,
    receivedAt: Math.min(event.at, now),
    createdAt: now,
  };
  const raised = newEvent({
    type: 'sms.received',
    organizationId,
    env,
    createdAt: now,
    data: {
      id: reply.id,
      channel: 'sms',
      inReplyTo: reply.inReplyTo,
      from: maskPhone(reply.from),
      body: reply.body,
      route: reply.route,
      receivedAt: isoTime(reply.receivedAt),
      ...(message.contactId ? { contactId: message.contactId } : {}),
      ...(message.campaignId ? { campaignId: message.campaignId } : {}),
      ...(message.metadata ? { metadata: { ...message.metadata } } : {}),
    },
  });
  return (await ports.keep(reply, raised)) ? 'kept' : 'repeated';
};

/** interface 2.2. `from` is masked without pii:full. */
export const replyView = (reply: ReplyRecord, unmasked: boolean) => ({
  id: reply.id,
  env: reply.env,
  inReplyTo: reply.inReplyTo,
  route: reply.route,
  from: unmasked ? reply.from : maskPhone(reply.from),
  body: reply.body,
  receivedAt: isoTime(reply.receivedAt),
  createdAt: isoTime(reply.createdAt),
});
