import type { Id } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';
import type { Channel } from './channel.ts';
import type { MessageOf, MessageStatus } from './message.ts';

/** Offset pagination: `limit` items after the first `skip`. */
export interface PageRequest {
  readonly limit: number;
  readonly skip: number;
}
/** A page, and the number of items across all pages. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly total: number;
}

/** Filters of a message list; an absent field does not filter. */
export interface MessageFilter {
  /** Matches one status, or any of several. */
  readonly status?: MessageStatus | readonly MessageStatus[] | undefined;
  readonly region?: string | undefined;
  readonly contactId?: Id<'contact'> | undefined;
  readonly campaignId?: string | undefined;
  readonly recipientHash?: string | undefined;
  /** The channel that carried it (RCS). */
  readonly via?: string | undefined;
  /** ms, both inclusive. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Ports of the message lists. */
export interface ListPorts {
  /** Hashes the recipient of a filter. */
  readonly recipients: () => Promise<Pick<Vault, 'blindIndex'>>;
  /** A page of the organization's messages of a channel, newest first. */
  page<C extends Channel>(
    organizationId: Id<'organization'>,
    channel: C,
    filter: MessageFilter,
    page: PageRequest,
  ): Promise<Page<MessageOf<C>>>;
}
