import type { Tenant } from '../core/actor.ts';
import { derivedId, type Id } from '../core/ids.ts';
import type { Channel } from './channel.ts';
import type { LinkOrigin } from './link-origin.ts';
import type { MessageRecord } from './message.ts';
import type { InboundEvent } from './provider-port.ts';

/** A decision about an inbound message; the kinds are those of the timeline. */
export interface InboundDecision {
  /** ms. */
  readonly at: number;
  readonly kind: 'receipt' | 'contact' | 'window' | 'consent';
  /** For people to read; never the sender or the content. */
  readonly detail: string;
}

/**
 * A stored inbound message (docs/spec/inbound.md#what-is-kept). Its status is always `delivered`: it is never queued, resent or
 * charged as a send. Times are ms.
 */
export interface InboundMessage extends Tenant {
  readonly id: Id<'message'>;
  readonly direction: 'inbound';
  readonly channel: Channel;
  readonly type: InboundEvent['type'];
  readonly status: 'delivered';
  /** The sender: E.164, an e-mail address, or the channel's user id. */
  readonly from: string;
  /** Blind index of `from`. */
  readonly fromHash: string;
  /** The address it was sent to, as the provider names it; empty where the provider does not report it. */
  readonly to: string;
  /** The sender's text is unaltered. */
  readonly payload: Readonly<Record<string, unknown>>;
  readonly contactId?: Id<'contact'> | undefined;
  readonly numberId?: Id<'number'> | undefined;
  readonly instagramAccountId?: string | undefined;
  /** The outbound message that it replies to. */
  readonly inReplyTo?: Id<'message'> | undefined;
  readonly origemDoLink?: LinkOrigin | undefined;
  readonly providerMessageId: string;
  /** When it was sent by the channel's clock, capped at `createdAt`. */
  readonly sentAt: number;
  readonly createdAt: number;
  readonly decisions: readonly InboundDecision[];
}

/** A message of either direction. */
export type StoredMessage = MessageRecord | InboundMessage;

/** The id derived from a provider's message reference: the same callback twice yields one message per organization. */
export const inboundIdOf = (organizationId: Id<'organization'>, channel: Channel, reference: string): Id<'message'> =>
  derivedId('message', ['inbound', organizationId, channel, reference]);
