import { BlockSet, numberAt, placeOf } from '../../domain/audience/block.ts';
import type { Column, ColumnName } from '../../domain/audience/columns.ts';
import { unindexedIn } from '../../domain/audience/evaluate.ts';
import type { AudienceIndex, Selection } from '../../domain/audience/selection.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Table } from '../client/table.ts';
import { readChanged } from '../contacts/changed-contacts.ts';
import { contactsOfNumbers, lastContactNumber } from '../contacts/contact-numbers.ts';
import { columnAt, readColumns } from './column-rows.ts';
import { CALLS_AT_ONCE, KEYS_A_CALL, readContacts } from './read-contacts.ts';

/** The contacts with these numbers, in their order, without those that are gone. */
const contactsAt = async (
  table: Table,
  organizationId: Id<'organization'>,
  numbers: readonly number[],
): Promise<Contact[]> => {
  const ids = await contactsOfNumbers(table, organizationId, numbers);
  const contacts = await readContacts(
    table,
    ids.filter((id) => id !== undefined),
  );
  return contacts.filter((contact) => contact !== undefined);
};

interface BlockFound {
  readonly block: number;
  /** By selection. */
  readonly sets: readonly BlockSet[];
  /** Numbers of contacts whose columns do not tell. */
  readonly unindexed: readonly number[];
}
/** What the columns of some blocks tell; one round trip. */
const selectBlocks = async (
  table: Table,
  organizationId: Id<'organization'>,
  blocks: readonly number[],
  names: readonly ColumnName[],
  selections: readonly Selection[],
): Promise<BlockFound[]> => {
  const places = blocks.flatMap((block) => names.map((name) => ({ organizationId, block, name })));
  const columns = await readColumns(table, places);
  return blocks.map((block) => {
    const own = new Map<ColumnName, Column>();
    for (const name of names) {
      const found = columnAt(columns, { organizationId, block, name });
      if (found) own.set(name, found.column);
    }
    const unindexed = unindexedIn(own);
    return {
      block,
      sets: selections.map(({ inBlock }) => inBlock(own, block)),
      unindexed: [...unindexed.newestFirst()].map((offset) => numberAt(block, offset)),
    };
  });
};

/** A range in parts of up to `size`. */
const partsOf = (last: number, size: number): number[][] =>
  Array.from({ length: Math.ceil((last + 1) / size) }, (_, part) =>
    Array.from({ length: Math.min(size, last + 1 - part * size) }, (_unused, at) => part * size + at),
  );

/** What the columns of all blocks up to `last` tell. */
const selectByColumns = async (
  table: Table,
  organizationId: Id<'organization'>,
  last: number,
  selections: readonly Selection[],
): Promise<BlockFound[]> => {
  const names = [...new Set(selections.flatMap(({ columns }) => [...columns]))];
  const calls = partsOf(last, Math.max(1, Math.floor(KEYS_A_CALL / names.length)));
  const told = await mapConcurrently(calls, CALLS_AT_ONCE, (blocks) =>
    selectBlocks(table, organizationId, blocks, names, selections),
  );
  return told.flat();
};

/**
 * The audience's index over the table of one stage. A selection reads the marks of what changed first, then the columns, then the contacts that are
 * marked or not in the columns: what changed before the call is found, whether a merge comes meanwhile or not. Round trips: 16 side by side for
 * the marks, one for the last number, then one for each 100 columns and each 100 marked contacts.
 */
export const audienceIndex = (table: Table): AudienceIndex => ({
  async select(organizationId, selections) {
    if (selections.length === 0) return [];
    const changed = await readChanged(table, organizationId);
    const last = placeOf(await lastContactNumber(table, organizationId)).block;
    const [told, contacts] = await Promise.all([
      selectByColumns(table, organizationId, last, selections),
      readContacts(
        table,
        changed.map(({ contactId }) => contactId),
      ),
    ]);
    const unindexed = await contactsAt(
      table,
      organizationId,
      told.flatMap((each) => each.unindexed),
    );
    return selections.map(({ holds }, nth) => {
      const found = new Map(told.map(({ block, sets }) => [block, sets[nth] ?? new BlockSet()]));
      const put = (number: number, isIn: boolean) => {
        const { block, offset } = placeOf(number);
        if (isIn) found.get(block)?.add(offset);
        else found.get(block)?.delete(offset);
      };
      for (const contact of unindexed) put(contact.number, holds(contact));
      for (const [at, { number }] of changed.entries()) {
        const contact = contacts[at];
        if (contact) put(contact.number, holds(contact));
        else if (number !== undefined) put(number, false);
      }
      return found;
    });
  },

  contacts: (organizationId, numbers) => contactsAt(table, organizationId, numbers),
});
