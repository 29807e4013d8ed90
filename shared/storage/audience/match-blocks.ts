import { BlockSet, numberAt, placeOf } from '../../domain/audience/block.ts';
import type { Column, ColumnName } from '../../domain/audience/columns.ts';
import { unindexedIn } from '../../domain/audience/evaluate.ts';
import type { Selection } from '../../domain/audience/selection.ts';
import type { Contact } from '../../domain/contacts/contact.ts';
import type { Id } from '../../domain/core/ids.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import type { Table } from '../client/table.ts';
import { columnAt, readColumns, type VersionedColumn } from './column-rows.ts';
import { CONCURRENT_CALLS, KEYS_A_CALL } from './read-contacts.ts';

type Org = Id<'organization'>;

/** A block, and the selections to evaluate in it. */
export interface BlockQuery {
  readonly block: number;
  readonly selections: readonly Selection[];
}
/** The matches according to its columns. */
export interface BlockMatches {
  readonly block: number;
  readonly sets: ReadonlyMap<Selection, BlockSet>;
  /** When time alone next changes each, in ms; undefined: never. */
  readonly nextChangeAt: ReadonlyMap<Selection, number | undefined>;
  /** Numbers of contacts that are not indexed: they must be evaluated by their rows. */
  readonly unindexed: readonly number[];
}

const columnsOf = ({ selections }: BlockQuery): readonly ColumnName[] => [
  ...new Set(selections.flatMap(({ columns }) => [...columns])),
];

const matchBlock = (
  columns: ReadonlyMap<string, VersionedColumn>,
  organizationId: Org,
  query: BlockQuery,
): BlockMatches => {
  const { block, selections } = query;
  const own = new Map<ColumnName, Column>();
  for (const name of columnsOf(query)) {
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

/** Groups blocks whose columns fit one call together, in order. */
const callsOf = (queries: readonly BlockQuery[]): BlockQuery[][] => {
  const calls: BlockQuery[][] = [];
  let keys = KEYS_A_CALL;
  for (const each of queries) {
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

/** The matches according to the blocks' columns: one round trip per 100 columns, eight concurrently. */
export const matchBlocks = async (
  table: Table,
  organizationId: Org,
  queries: readonly BlockQuery[],
): Promise<BlockMatches[]> => {
  const matches = await mapConcurrently(callsOf(queries), CONCURRENT_CALLS, async (call) => {
    const places = call.flatMap((each) => columnsOf(each).map((name) => ({ organizationId, block: each.block, name })));
    const columns = await readColumns(table, places);
    return call.map((each) => matchBlock(columns, organizationId, each));
  });
  return matches.flat();
};

/** Contacts by number; undefined: it was deleted. */
export type ContactsByNumber = ReadonlyMap<number, Contact | undefined>;

/** The matches with some contacts evaluated by their rows instead of the columns. */
export const withContacts = (matches: readonly BlockMatches[], contacts: ContactsByNumber): BlockMatches[] => {
  const byBlock = Map.groupBy(contacts, ([number]) => placeOf(number).block);
  return matches.map((each) => {
    const own = byBlock.get(each.block);
    if (!own) return each;
    const sets = [...each.sets].map(([selection, before]) => {
      const set = before.or(new BlockSet());
      for (const [number, contact] of own)
        if (contact && selection.holds(contact)) set.add(placeOf(number).offset);
        else set.delete(placeOf(number).offset);
      return [selection, set] as const;
    });
    return { ...each, sets: new Map(sets) };
  });
};
