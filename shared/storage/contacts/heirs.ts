import * as z from 'zod';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Merge } from '../../domain/contacts/merge.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { readRow } from '../read-row.ts';
import { withCompanyNow } from './company-links.ts';
import { readContact } from './contacts.ts';

/** The row that a merged contact leaves: whose it is now. */
export const mergeRows = defineRow<Merge>()({
  attributes: {
    contactId: id('contact'),
    number: z.int(),
    ...tenant,
    into: id('contact'),
    at: time,
  },
  key: ({ contactId }) => KEYS.merge(contactId),
});

/**
 * The contact with an id, or the one that it was merged into, directly or indirectly; undefined once that is erased. One read, and two more
 * per merge.
 */
export const heirOf = async (table: Table, contactId: Id<'contact'>): Promise<Contact | undefined> => {
  const contact = await readRow(table, KEYS.contact(contactId), readContact);
  if (contact) return withCompanyNow(table, contact);
  const merge = await readRow(table, KEYS.merge(contactId), mergeRows.read);
  return merge && heirOf(table, merge.into);
};
