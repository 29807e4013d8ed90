import type { Contact, ContactSource, OptInStatus } from '../contacts/contact.ts';
import type { Id } from '../core/ids.ts';
import { BlockSet, numberAt } from './block.ts';
import { type ColumnName, gramColumn, type readBase } from './columns.ts';
import { digestOf } from './digest.ts';
import { type BlockColumns, baseWhere, columnsOf, evaluate, gramsIn, presentIn, updatedSince } from './evaluate.ts';
import { type FilterTree, matches } from './filters.ts';
import { gramsOfSearch, isFound, type Search } from './grams.ts';

/** A selection of contacts: told by a block's columns, and equally by a contact itself. */
export interface Selection {
  readonly columns: ReadonlySet<ColumnName>;
  readonly inBlock: (columns: BlockColumns, block: number) => BlockSet;
  readonly holds: (contact: Contact) => boolean;
}

/** The contacts that are in all of some selections. */
export const allOf = (selections: readonly [Selection, ...Selection[]]): Selection => ({
  columns: new Set(selections.flatMap(({ columns }) => [...columns])),
  inBlock: (columns, block) =>
    selections.map(({ inBlock }) => inBlock(columns, block)).reduce((set, other) => set.and(other)),
  holds: (contact) => selections.every(({ holds }) => holds(contact)),
});

/** The contacts that a tree describes at `now` (ms). */
export const treeSelection = (tree: FilterTree, now: number): Selection => ({
  columns: columnsOf(tree),
  inBlock: (columns) => evaluate(tree, columns, now),
  holds: (contact) => matches(tree, digestOf(contact), now),
});

/** The contacts with this consent and from this source; undefined: any. */
export const baseSelection = (optInStatus: OptInStatus | undefined, asked: ContactSource | undefined): Selection => {
  const isAsked = ({ optIn, source }: Pick<ReturnType<typeof readBase>, 'optIn' | 'source'>) =>
    (optInStatus === undefined || optIn === optInStatus) && (asked === undefined || source === asked);
  return {
    columns: new Set(['base']),
    inBlock: (columns) => baseWhere(columns, (base) => base.present && isAsked(base)),
    holds: (contact) => isAsked(digestOf(contact)),
  };
};

/** The contacts with these numbers. */
export const numbersSelection = (numbers: { has(number: number): boolean }): Selection => ({
  columns: new Set(['base']),
  inBlock: (columns, block) =>
    BlockSet.of([...presentIn(columns).newestFirst()].filter((offset) => numbers.has(numberAt(block, offset)))),
  holds: ({ number }) => numbers.has(number),
});

/** The contacts that changed at or after a moment (ms). */
export const updatedSelection = (since: number): Selection => ({
  columns: new Set(['base', 'updates']),
  inBlock: (columns) => updatedSince(columns, since),
  holds: (contact) => contact.updatedAt >= since,
});

/**
 * The contacts that are searched for, by blind indexes of trigrams. A block's columns tell of a few too many: of those that contain the trigrams of the
 * search apart from each other.
 */
export const searchSelection = (search: Search, indexOf: (gram: string) => number): Selection => {
  const alternatives = gramsOfSearch(search).map((grams) => [...grams].map(indexOf));
  return {
    columns: new Set<ColumnName>(['base', ...alternatives.flat().map(gramColumn)]),
    inBlock: (columns) => alternatives.map((grams) => gramsIn(columns, grams)).reduce((set, other) => set.or(other)),
    holds: (contact) => isFound(search, contact),
  };
};

/** The contacts that a selection found in an organization, as blocks of their numbers. */
export type Found = ReadonlyMap<number, BlockSet>;

/** Finds contacts by the audience's index. */
export interface AudienceIndex {
  /** All contacts of the organization that each selection selects. What was changed before the call is in the answer. */
  select(organizationId: Id<'organization'>, selections: readonly Selection[]): Promise<readonly Found[]>;
  /** The contacts with these numbers, in their order; those that are gone are left out. */
  contacts(organizationId: Id<'organization'>, numbers: readonly number[]): Promise<readonly Contact[]>;
}
