import * as z from 'zod';
import { type RecipientKind, rulesOf } from '../domain/messages/channels.ts';
import type { SendPlan } from '../domain/messages/plan.ts';
import type { Channel } from '../domain/messages/provider.ts';
import { KEYS } from './access-patterns.ts';
import type { Table } from './table.ts';

const addressRow = z.object({ unsubscribedAt: z.string().optional(), optedOut: z.int().default(0) });

/**
 * Why the consent on file would refuse a plan, as its reservation would: the named contact's, else the recipient's. For previews; a
 * send asks in its own transaction. One read.
 */
export const consentFault = async (
  table: Table,
  organizationId: string,
  { channel, contactId, mayOptOut, to }: SendPlan,
  hashTo: (kind: RecipientKind, to: string) => Promise<string>,
): Promise<'opted_out' | 'unknown_contact' | undefined> => {
  if (contactId) {
    const row = await table.get(KEYS.contact(contactId), { eventual: true, only: ['org', 'optInStatus'] });
    if (row?.org !== organizationId) return 'unknown_contact';
    return mayOptOut && row.optInStatus === 'denied' ? 'opted_out' : undefined;
  }
  const { recipient } = rulesOf(channel);
  if (!mayOptOut || recipient === 'platform') return undefined;
  const hash = await hashTo(recipient, to);
  if (recipient === 'phone') {
    const row = await table.get(KEYS.phone(organizationId, hash), { eventual: true, only: ['optInStatus'] });
    return row?.optInStatus === 'denied' ? 'opted_out' : undefined;
  }
  const row = await table.get(KEYS.emailAddress(organizationId, hash), { eventual: true });
  const { unsubscribedAt, optedOut } = addressRow.parse(row ?? {});
  return unsubscribedAt !== undefined || optedOut > 0 ? 'opted_out' : undefined;
};

/** A contact's own recipient on a channel: its phone or its e-mail address; undefined when it has none, or is another's. One read. */
export const contactRecipient = async (
  table: Table,
  organizationId: string,
  contactId: string,
  channel: Channel,
): Promise<string | undefined> => {
  const { recipient } = rulesOf(channel);
  if (recipient === 'platform') return undefined;
  const row = await table.get(KEYS.contact(contactId), { eventual: true, only: ['org', recipient] });
  return row?.org === organizationId ? z.string().optional().parse(row[recipient]) : undefined;
};
