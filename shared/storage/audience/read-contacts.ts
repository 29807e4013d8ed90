import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import type { ChangedContact } from '../contacts/changed-contacts.ts';
import { contactRows, readContact } from '../contacts/contacts.ts';

/** A call of BatchGetItem takes 100 keys. */
export const KEYS_A_CALL = 100;
export const CONCURRENT_CALLS = 8;

/** Contacts by their ids, in order, consistent; undefined for deleted ones. */
export const readContacts = async (
  table: Table,
  ids: readonly Id<'contact'>[],
): Promise<readonly (Contact | undefined)[]> => {
  const calls = Array.from({ length: Math.ceil(ids.length / KEYS_A_CALL) }, (_, at) =>
    ids.slice(at * KEYS_A_CALL, (at + 1) * KEYS_A_CALL),
  );
  const rows = await mapConcurrently(calls, CONCURRENT_CALLS, (call) =>
    table.getMany(call.map(KEYS.contact), { consistent: true }),
  );
  return rows.flat().map((row) => row && readContact(row));
};

/** The same, keyed by e.g. their offset in a block. */
export const readContactsBy = async <K>(
  table: Table,
  ids: ReadonlyMap<K, Id<'contact'> | undefined>,
): Promise<ReadonlyMap<K, Contact | undefined>> => {
  const known = [...ids].flatMap(([name, contactId]) => (contactId === undefined ? [] : [{ name, contactId }]));
  const contacts = await readContacts(
    table,
    known.map(({ contactId }) => contactId),
  );
  const found = new Map<K, Contact | undefined>([...ids.keys()].map((name) => [name, undefined]));
  for (const [at, { name }] of known.entries()) found.set(name, contacts[at]);
  return found;
};

/** A mark of a contact whose position in the index is known. */
export type Located = ChangedContact & { readonly number: number };

const readNumber = contactRows.pick('number');
/** The marks with their contacts' numbers. Those of deleted contacts without a known number are not in the index. */
export const located = async (table: Table, marks: readonly ChangedContact[]): Promise<Located[]> => {
  const unknown = marks.filter(({ number }) => number === undefined);
  const rows = await table.getMany(
    unknown.map(({ contactId }) => KEYS.contact(contactId)),
    { consistent: true, only: ['pk', 'sk', 'number'] },
  );
  const found = unknown.flatMap((mark, at) => (rows[at] ? [{ ...mark, ...readNumber(rows[at]) }] : []));
  return [...marks.filter((mark): mark is Located => mark.number !== undefined), ...found];
};
