import { BLOCK_SIZE, BlockSet } from './block.ts';
import {
  attributeColumn,
  type Column,
  type ColumnName,
  emptyColumn,
  gramColumn,
  type Holders,
  readBase,
} from './columns.ts';
import { channelsOf } from './digest.ts';
import {
  attributeMatches,
  earliest,
  type Filter,
  type FilterTree,
  interactionMatches,
  leavesOf,
  nextChange,
} from './filters.ts';

/** The columns of one block that an evaluation reads; a missing one holds no facts. */
export type BlockColumns = ReadonlyMap<ColumnName, Column>;

const columnOf = (filter: Filter): ColumnName => {
  if (filter.field === 'tag') return 'tags';
  if (filter.field === 'attribute') return attributeColumn(filter.key);
  return filter.field === 'lastInteraction' ? 'interactions' : 'base';
};
/** The columns that the evaluation of a tree reads. */
export const columnsOf = (tree: FilterTree): ReadonlySet<ColumnName> =>
  new Set(['base', ...leavesOf(tree).map(columnOf)]);

const columnIn = (columns: BlockColumns, name: ColumnName): Column => columns.get(name) ?? emptyColumn(name);
const where = (isIn: (offset: number) => boolean): BlockSet => {
  const set = new BlockSet();
  for (let at = 0; at < BLOCK_SIZE; at++) if (isIn(at)) set.add(at);
  return set;
};
const holdersWhere = (holders: Holders, meets: (value: Holders[number][0]) => boolean): BlockSet =>
  BlockSet.of(holders.flatMap(([value, offsets]) => (meets(value) ? offsets : [])));

/** The contacts of a block whose base byte meets a condition. */
export const baseWhere = (columns: BlockColumns, meets: (base: ReturnType<typeof readBase>) => boolean): BlockSet => {
  const base = columnIn(columns, 'base');
  if (base.kind !== 'bytes') return new BlockSet();
  // There are few distinct bytes, so each is evaluated once.
  const matching = Array.from({ length: 256 }, (_, byte) => byte !== 0 && meets(readBase(byte)));
  return where((at) => matching[base.bytes[at] ?? 0] === true);
};
const timesWhere = (columns: BlockColumns, name: ColumnName, meets: (ms: number | undefined) => boolean): BlockSet => {
  const column = columnIn(columns, name);
  return column.kind === 'times' ? where((at) => meets(column.times[at] || undefined)) : new BlockSet();
};
const holdersIn = (columns: BlockColumns, name: ColumnName, key: string): Holders => {
  const column = columnIn(columns, name);
  return column.kind === 'values' ? (column.values.get(key) ?? []) : [];
};

/** The existing contacts of a block. */
export const presentIn = (columns: BlockColumns): BlockSet => baseWhere(columns, ({ present }) => present);
/** Contacts that are not indexed: they are evaluated by their rows. */
export const unindexedIn = (columns: BlockColumns): BlockSet => baseWhere(columns, ({ unindexed }) => unindexed);
/** Contacts that changed at or after a time (ms). */
export const updatedSince = (columns: BlockColumns, since: number): BlockSet =>
  timesWhere(columns, 'updates', (ms) => ms !== undefined && ms >= since);

/** The last interaction of each contact of a block, by offset, in ms. */
export const interactionsIn = (columns: BlockColumns): readonly (number | undefined)[] => {
  const column = columnIn(columns, 'interactions');
  return column.kind === 'times' ? Array.from(column.times, (at) => at || undefined) : [];
};

/** When time alone next changes which contacts of a block meet conditions with these windows (ms), after `now`; undefined: never. */
export const nextChangeIn = (columns: BlockColumns, windows: readonly number[], now: number): number | undefined =>
  windows.length === 0 ? undefined : earliest(interactionsIn(columns).map((at) => nextChange(windows, at, now)));

/** The contacts of a block that have all given trigrams, by their blind indexes. */
export const gramsIn = (columns: BlockColumns, grams: readonly number[]): BlockSet =>
  grams
    .map((gram) => holdersWhere(holdersIn(columns, gramColumn(gram), ''), (held) => held === gram))
    .reduce((set, holders) => set.and(holders));

const leafSet = (filter: Filter, columns: BlockColumns, now: number): BlockSet => {
  switch (filter.field) {
    case 'tag': {
      const tagged = holdersWhere(holdersIn(columns, 'tags', ''), (tag) => tag === filter.value);
      return filter.operator === 'is' ? tagged : presentIn(columns).without(tagged);
    }
    case 'attribute': {
      const holders = holdersIn(columns, attributeColumn(filter.key), filter.key);
      const met = holdersWhere(holders, (value) => attributeMatches(filter, value));
      if (!attributeMatches(filter, undefined)) return met;
      return presentIn(columns)
        .without(holdersWhere(holders, () => true))
        .or(met);
    }
    case 'optIn':
      return baseWhere(columns, ({ present, optIn }) => present && optIn === filter.value);
    case 'lastInteraction':
      return timesWhere(columns, 'interactions', (ms) => interactionMatches(filter, ms, now));
    case 'channel':
      return baseWhere(
        columns,
        (base) => base.present && channelsOf(base).includes(filter.value) === (filter.operator === 'has'),
      );
  }
};

/** The contacts of a block that match a tree at `now` (ms), according to its columns. */
export const evaluate = (tree: FilterTree, columns: BlockColumns, now: number): BlockSet => {
  if (tree.kind === 'leaf') return leafSet(tree.filter, columns, now);
  const [first, ...others] = tree.nodes.map((node) => evaluate(node, columns, now));
  return others.reduce(
    (set, other) => (tree.operator === 'and' ? set.and(other) : set.or(other)),
    first ?? new BlockSet(),
  );
};
