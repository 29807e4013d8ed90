import * as z from 'zod';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { id } from '../client/attributes.ts';
import type { WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

const takenRow = z.object({ last: z.int() });

/**
 * Reserves `count` numbers for contacts about to be created; returns the first. Numbers start at 1, and unused ones leave gaps. One
 * unconditional write: concurrent callers do not conflict.
 */
export const takeContactNumbers = async (
  table: Table,
  organizationId: Id<'organization'>,
  count: number,
): Promise<number> => {
  const { row } = await table.write({ update: KEYS.contactNumbers(organizationId), add: { last: count } });
  return takenRow.parse(row).last - count + 1;
};

/** The last reserved number; 0 if there is none. One consistent read. */
export const lastContactNumber = async (table: Table, organizationId: Id<'organization'>): Promise<number> => {
  const row = await table.get(KEYS.contactNumbers(organizationId));
  return row ? takenRow.parse(row).last : 0;
};

/** The contact with a number. */
type NumberedContact = Pick<Contact, 'organizationId' | 'number'> & { readonly contactId: Id<'contact'> };
const numberedRows = defineRow<NumberedContact>()({
  attributes: { organizationId: id('organization'), number: z.int(), contactId: id('contact') },
  key: ({ organizationId, number }) => KEYS.numberedContact(organizationId, number),
});

/** Finds a contact by its number; in the transaction that creates the contact. */
export const numberedWrite = ({ id: contactId, organizationId, number }: Contact): WriteOp => ({
  put: numberedRows.write({ organizationId, number, contactId }),
});

/** The contacts with these numbers, in order; undefined for unused ones. One round trip per 100. */
export const contactsOfNumbers = async (
  table: Table,
  organizationId: Id<'organization'>,
  numbers: readonly number[],
): Promise<(Id<'contact'> | undefined)[]> => {
  const keys = numbers.map((number) => KEYS.numberedContact(organizationId, number));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.map((row) => row && numberedRows.read(row).contactId);
};
