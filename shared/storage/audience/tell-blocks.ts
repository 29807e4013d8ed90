import { BlockSet, numberAt, placeOf } from '../../domain/audience/block.ts';
import type { Column, ColumnName } from '../../domain/audience/columns.ts';
import { unindexedIn } from '../../domain/audience/evaluate.ts';
import type { Selection } from '../../domain/audience/selection.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Table } from '../client/table.ts';
import { columnAt, readColumns, type VersionedColumn } from './column-rows.ts';
import { CALLS_AT_ONCE, KEYS_A_CALL } from './read-contacts.ts';

type Org = Id<'organization'>;

/** What is asked of a block: who of these selections is in it. */
export interface Asked {
  readonly block: number;
  readonly selections: readonly Selection[];
}
/** What its columns tell. */
export interface Told {
  readonly block: number;
  readonly sets: ReadonlyMap<Selection, BlockSet>;
  /** When the passing of time next changes each, in ms; undefined: never. */
  readonly nextChangeAt: ReadonlyMap<Selection, number | undefined>;
  /** Numbers of contacts that the columns do not tell enough of. */
  readonly unindexed: readonly number[];
}

const columnsOf = ({ selections }: Asked): readonly ColumnName[] => [
  ...new Set(selections.flatMap(({ columns }) => [...columns])),
];

const tellBlock = (columns: ReadonlyMap<string, VersionedColumn>, organizationId: Org, asked: Asked): Told => {
  const { block, selections } = asked;
  const own = new Map<ColumnName, Column>();
  for (const name of columnsOf(asked)) {
    const found = columnAt(columns, { organizationId, block, name });
    if (found) own.set(name, found.column);
  }
  return {
    block,
    sets: new Map(selections.map((selection) => [selection, selection.inBlock(own, block)])),
    nextChangeAt: new Map(selections.map((selection) => [selection, selection.nextChangeIn(own)])),
    unindexed: [...unindexedIn(own).newestFirst()].map((offset) => numberAt(block, offset)),
  };
};

/** Blocks whose columns fit one call together, in their order. */
const callsOf = (asked: readonly Asked[]): Asked[][] => {
  const calls: Asked[][] = [];
  let keys = KEYS_A_CALL;
  for (const each of asked) {
    const count = columnsOf(each).length;
    if (keys + count > KEYS_A_CALL) {
      calls.push([]);
      keys = 0;
    }
    calls.at(-1)?.push(each);
    keys += count;
  }
  return calls;
};

/** What the columns of blocks tell: one round trip for each 100 columns, eight at once. */
export const tellBlocks = async (table: Table, organizationId: Org, asked: readonly Asked[]): Promise<Told[]> => {
  const told = await mapConcurrently(callsOf(asked), CALLS_AT_ONCE, async (call) => {
    const places = call.flatMap((each) => columnsOf(each).map((name) => ({ organizationId, block: each.block, name })));
    const columns = await readColumns(table, places);
    return call.map((each) => tellBlock(columns, organizationId, each));
  });
  return told.flat();
};

/** What there is to say of contacts themselves, by number; undefined: there is no such contact any more. */
export type Judged = ReadonlyMap<number, Contact | undefined>;

/** The same with some contacts in the sets or not by what they are themselves, whatever the columns tell of them. */
export const withContacts = (told: readonly Told[], contacts: Judged): Told[] => {
  const byBlock = Map.groupBy(contacts, ([number]) => placeOf(number).block);
  return told.map((each) => {
    const own = byBlock.get(each.block);
    if (!own) return each;
    const judged = [...each.sets].map(([selection, before]) => {
      const set = before.or(new BlockSet());
      for (const [number, contact] of own)
        if (contact && selection.holds(contact)) set.add(placeOf(number).offset);
        else set.delete(placeOf(number).offset);
      return [selection, set] as const;
    });
    return { ...each, sets: new Map(judged) };
  });
};
