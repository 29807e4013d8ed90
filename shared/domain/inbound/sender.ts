import { channelOf } from '../channels/registry.ts';
import type { Contact } from '../contacts/contact.ts';
import { parseAddress } from '../core/email-address.ts';
import type { Id } from '../core/ids.ts';
import type { Channel, RecipientKind } from '../message/channel.ts';
import type { MessageRecord } from '../message/message.ts';
import type { InboundEvent } from '../message/provider-port.ts';

/** Key by which a sender is looked up. */
export interface SenderKey {
  readonly channel: Channel;
  readonly kind: RecipientKind;
  /** Blind index of the sender. */
  readonly hash: string;
  /** Blind index of the sender's user id, where its phone is known too. */
  readonly userHash?: string | undefined;
  /** The WhatsApp number that received the message: each has its own 24-hour window. */
  readonly numberId?: Id<'number'> | undefined;
  /** The contact of the replied message, used when no contact has this phone or address. */
  readonly defaultContactId?: Id<'contact'> | undefined;
}

/** The time, in ms, and the reason of a person's opt-out. */
export interface Stop {
  readonly at: number;
  readonly reason: string;
}

/** The stored state of a sender. */
export interface Sender {
  readonly contact?: Contact | undefined;
  /** Present when the address belongs to no contact permanently: its consent is stored on its own row, in addition to that of the matched contact. */
  readonly own?: { readonly optedOut: boolean } | undefined;
  /** When the sender last wrote on the channel, to `numberId` if the key has one, in ms. */
  readonly lastInboundAt?: number | undefined;
  /** The row of the key's `userHash`: the phone (blind index) that the user id is known to belong to, and the opt-out made while it was not. */
  readonly user?: { readonly phoneHash?: string | undefined; readonly optOut?: Stop | undefined } | undefined;
}

export interface SenderReads {
  readonly recipientHashOf: (organizationId: Id<'organization'>, kind: RecipientKind, value: string) => Promise<string>;
  /** The phone (blind index) that a user id (blind index) is known to belong to. */
  readonly phoneOfUser: (organizationId: Id<'organization'>, userHash: string) => Promise<string | undefined>;
}

/** The sender's address, and what it is looked up by. */
export interface SenderIdentity extends Pick<SenderKey, 'kind' | 'hash' | 'userHash'> {
  readonly from: string;
}

/**
 * Identifies a sender. A person with a hidden phone is the recipient of the message that it replies to, else the owner of the phone that the
 * channel once reported with the user id, else the user id itself (docs/spec/inbound.md#people-with-a-hidden-phone).
 */
export const identifySender = async (
  { recipientHashOf, phoneOfUser }: SenderReads,
  organizationId: Id<'organization'>,
  { channel, from, userId }: Pick<InboundEvent, 'channel' | 'from' | 'userId'>,
  repliedTo?: Pick<MessageRecord, 'to' | 'recipientHash'>,
): Promise<SenderIdentity> => {
  const { recipient, senderKind } = channelOf(channel);
  const kind = senderKind?.(from) ?? recipient;
  const address = kind === 'email' ? (parseAddress(from) ?? from) : from;
  const hash = await recipientHashOf(organizationId, kind, address);
  if (kind === recipient) {
    const userHash = userId === undefined ? undefined : await recipientHashOf(organizationId, 'platform', userId);
    return { kind, from, hash, userHash };
  }
  // An erased message has no recipient.
  if (repliedTo?.to) return { kind: recipient, from: repliedTo.to, hash: repliedTo.recipientHash, userHash: hash };
  const phoneHash = await phoneOfUser(organizationId, hash);
  return phoneHash === undefined ? { kind, from, hash } : { kind: recipient, from, hash: phoneHash, userHash: hash };
};
