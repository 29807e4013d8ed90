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
 * Takes `count` numbers for contacts of an organization that are about to be created; answers the first, and the others follow. Numbers count from 1,
 * and one that is not used leaves a gap. One write, without a condition: takers at once do not conflict.
 */
export const takeContactNumbers = async (
  table: Table,
  organizationId: Id<'organization'>,
  count: number,
): Promise<number> => {
  const { row } = await table.write({ update: KEYS.contactNumbers(organizationId), add: { last: count } });
  return takenRow.parse(row).last - count + 1;
};

/** The last number that was taken; 0 where there is none. One consistent read. */
export const lastContactNumber = async (table: Table, organizationId: Id<'organization'>): Promise<number> => {
  const row = await table.get(KEYS.contactNumbers(organizationId));
  return row ? takenRow.parse(row).last : 0;
};

/** Which contact has a number. */
type NumberedContact = Pick<Contact, 'organizationId' | 'number'> & { readonly contactId: Id<'contact'> };
const numberedRows = defineRow<NumberedContact>()({
  attributes: { organizationId: id('organization'), number: z.int(), contactId: id('contact') },
  key: ({ organizationId, number }) => KEYS.numberedContact(organizationId, number),
});

/** Finds a contact by its number; in the transaction that creates the contact. */
export const numberedWrite = ({ id: contactId, organizationId, number }: Contact): WriteOp => ({
  put: numberedRows.write({ organizationId, number, contactId }),
});

/** The contacts that have these numbers, in their order; undefined where none has. One round trip per 100. */
export const contactsOfNumbers = async (
  table: Table,
  organizationId: Id<'organization'>,
  numbers: readonly number[],
): Promise<(Id<'contact'> | undefined)[]> => {
  const keys = numbers.map((number) => KEYS.numberedContact(organizationId, number));
  const rows = await table.getMany(keys, { consistent: true });
  return rows.map((row) => row && numberedRows.read(row).contactId);
};
