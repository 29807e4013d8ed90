import { channelOf } from '../../domain/channels/registry.ts';
import type { MergedContact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Channel } from '../../domain/message/channel.ts';
import type { Table } from '../client/table.ts';
import { emailConsentStore } from '../contacts/email-addresses.ts';
import { INDEX_KEYS } from '../index-patterns.ts';

/** The keys that find a person's messages without a contact. */
export interface Addressee extends Pick<MergedContact, 'emailHash' | 'phoneHash'> {
  readonly contactId: Id<'contact'>;
  readonly organizationId: Id<'organization'>;
}

/**
 * The blind index of a person's recipient on a channel; undefined for an address that other contacts share, and for user ids, which
 * contacts do not own.
 */
const hashOn = async (table: Table, addressee: Addressee, channel: Channel): Promise<string | undefined> => {
  const { contactId, organizationId, phoneHash, emailHash } = addressee;
  const { recipient } = channelOf(channel);
  if (recipient === 'phone') return phoneHash;
  if (recipient !== 'email' || emailHash === undefined) return undefined;
  const holders = await emailConsentStore(table).contactsOf(organizationId, emailHash);
  return holders.every((holder) => holder === contactId) ? emailHash : undefined;
};

/** The partitions of `gsi4` with a person's messages of a channel, to and from its phone or address, whichever contact they refer to. */
export const addressPartitions = async (
  table: Table,
  addressee: Addressee,
  channel: Channel,
): Promise<readonly string[]> => {
  const hash = await hashOn(table, addressee, channel);
  const { organizationId } = addressee;
  return hash === undefined
    ? []
    : [
        INDEX_KEYS.messagesTo(organizationId, hash, channel, '', '').gsi4pk,
        INDEX_KEYS.inboundFrom(organizationId, hash, channel, '', '').gsi4pk,
      ];
};
