import type { Environment } from '../actor.ts';
import type { EventType } from '../events/catalogue.ts';
import { derivedId, type Id } from '../ids.ts';
import type { MessageRecord } from '../messages/message.ts';
import type { Channel, InboundEvent } from '../messages/provider.ts';
import type { LinkOrigin } from './origin.ts';

/** What was found and decided when a message came in; the kinds are steps of its timeline. */
export interface InboundDecision {
  /** ms. */
  readonly at: number;
  readonly kind: 'receipt' | 'contact' | 'window' | 'consent';
  /** In words; never who sent it or what it says. */
  readonly detail: string;
}

/**
 * A message that somebody sent to the organization, as it is stored (interface 2.10). It has reached whom it was for, so that it stands
 * as delivered for good: it is never queued, sent anew or charged as a send. Times are ms.
 */
export interface InboundMessage {
  readonly id: Id<'message'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly direction: 'inbound';
  readonly channel: Channel;
  readonly type: InboundEvent['type'];
  readonly status: 'delivered';
  /** Who sent it: E.164, an e-mail address, an id of the platform's. */
  readonly from: string;
  /** Blind index of `from`. */
  readonly fromHash: string;
  /** What it was sent to, in the provider's own terms; empty where the provider does not tell. */
  readonly to: string;
  /** The text is the sender's, unaltered. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly contactId?: Id<'contact'> | undefined;
  readonly numberId?: string | undefined;
  readonly instagramAccountId?: string | undefined;
  /** The message of ours that it answers. */
  readonly inReplyTo?: Id<'message'> | undefined;
  readonly origemDoLink?: LinkOrigin | undefined;
  readonly providerMessageId: string;
  /** When it was sent, by the platform's clock; never after `createdAt`. */
  readonly sentAt: number;
  readonly createdAt: number;
  readonly decisions: readonly InboundDecision[];
}

/** A message of either direction. */
export type StoredMessage = MessageRecord | InboundMessage;

/** What a platform calls a message always has the same id in an organization, so that a repeated callback is one message. */
export const inboundIdOf = (organizationId: string, channel: Channel, reference: string): Id<'message'> =>
  derivedId('message', ['inbound', organizationId, channel, reference]);

/** Channels with an event of their own for what comes in (interface, part 6); the others raise message.received. */
const RECEIVED: Readonly<Partial<Record<Channel, EventType>>> = {
  sms: 'sms.received',
  instagram: 'instagram.message.received',
};

/** The one event that an inbound message raises: its channel's, as sends do (decisions, part 4). */
export const receivedEventOf = (channel: Channel): EventType => RECEIVED[channel] ?? 'message.received';
