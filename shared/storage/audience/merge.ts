import { placeOf } from '../../domain/audience/block.ts';
import { COLUMN_NAMES, changedColumn, emptyColumn } from '../../domain/audience/columns.ts';
import { digestOf, type IndexedContact } from '../../domain/audience/digest.ts';
import { gramsOf } from '../../domain/audience/grams.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { type ChangedContact, clearChanged, readChanged } from '../contacts/changed-contacts.ts';
import { contactRows, readContact } from '../contacts/contacts.ts';
import { countMerge } from './block-versions.ts';
import { type ColumnPlace, columnAt, readColumns, writeColumn } from './column-rows.ts';

const AT_ONCE = 8;

/** The blind index of a trigram in an organization, as a number. */
export type GramIndex = (organizationId: Id<'organization'>, gram: string) => number;
const indexed = (contact: Contact, indexOf: GramIndex): IndexedContact => ({
  ...digestOf(contact),
  grams: [...gramsOf(contact)].map((gram) => indexOf(contact.organizationId, gram)),
});

type Located = ChangedContact & { readonly number: number };

const readNumber = contactRows.pick('number');
/** The marks with their contacts' numbers. Those of contacts that are gone, and whose number nobody knew, have nothing in the index. */
const located = async (table: Table, marks: readonly ChangedContact[]): Promise<Located[]> => {
  const unknown = marks.filter(({ number }) => number === undefined);
  const rows = await table.getMany(
    unknown.map(({ contactId }) => KEYS.contact(contactId)),
    { consistent: true, only: ['pk', 'sk', 'number'] },
  );
  const found = unknown.flatMap((mark, at) => (rows[at] ? [{ ...mark, ...readNumber(rows[at]) }] : []));
  return [...marks.filter((mark): mark is Located => mark.number !== undefined), ...found];
};

/**
 * Brings a block up to date with some changed contacts. The contacts are read after the columns: a column that another writer brought further
 * meanwhile is not written, so that no older state of a contact takes the place of a newer one. False then, and the marks stay.
 */
const mergeBlock = async (
  table: Table,
  indexOf: GramIndex,
  block: number,
  marks: readonly Located[],
): Promise<boolean> => {
  const [{ organizationId } = { organizationId: undefined }] = marks;
  if (organizationId === undefined) return true;
  const places = COLUMN_NAMES.map((name): ColumnPlace => ({ organizationId, block, name }));
  const columns = await readColumns(table, places);
  const rows = await table.getMany(
    marks.map(({ contactId }) => KEYS.contact(contactId)),
    { consistent: true },
  );
  const changes = new Map(
    marks.map(({ number }, at) => [placeOf(number).offset, rows[at] && indexed(readContact(rows[at]), indexOf)]),
  );
  const written = await Promise.all(
    places.map((place) => {
      const before = columnAt(columns, place);
      const column = changedColumn(place.name, before?.column ?? emptyColumn(place.name), changes);
      return writeColumn(table, place, before, column);
    }),
  );
  if (written.includes(false)) return false;
  await countMerge(table, organizationId, block);
  await mapConcurrently(marks, AT_ONCE, (mark) => clearChanged(table, mark));
  return true;
};

/**
 * Brings an organization's index up to date with its changed contacts, for blocks that have at least `atLeast` of them and for the block of `contactId`.
 * A repeat and a second one at once do no harm. False when another one was at the same block: what is left is still marked.
 */
export const mergeChanges = async (
  table: Table,
  indexOf: GramIndex,
  organizationId: Id<'organization'>,
  { atLeast, contactId }: { readonly atLeast: number; readonly contactId?: Id<'contact'> | undefined },
): Promise<boolean> => {
  const marks = await located(table, await readChanged(table, organizationId));
  const blocks = Map.groupBy(marks, ({ number }) => placeOf(number).block);
  const chosen = [...blocks].filter(
    ([, changed]) => changed.length >= atLeast || changed.some((mark) => mark.contactId === contactId),
  );
  const merged = await mapConcurrently(chosen, 2, ([block, changed]) => mergeBlock(table, indexOf, block, changed));
  return !merged.includes(false);
};
