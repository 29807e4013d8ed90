import type { Contact, ContactSource, OptInStatus } from '../contacts/contact.ts';
import type { Id } from '../core/ids.ts';
import { BlockSet, numberAt } from './block.ts';
import { type ColumnName, gramColumn, type readBase } from './columns.ts';
import { digestOf } from './digest.ts';
import {
  type BlockColumns,
  baseWhere,
  columnsOf,
  evaluate,
  gramsIn,
  nextChangeIn,
  presentIn,
  updatedSince,
} from './evaluate.ts';
import { earliest, type FilterTree, matches, windowsOf } from './filters.ts';
import type { Found } from './found.ts';
import { gramsOfSearch, isFound, type Search } from './grams.ts';
import type { NumberSet } from './number-set.ts';

/** A selection of contacts, evaluated by a block's columns or, equally, by a contact itself. */
export interface Selection {
  readonly columns: ReadonlySet<ColumnName>;
  readonly inBlock: (columns: BlockColumns, block: number) => BlockSet;
  readonly holds: (contact: Contact) => boolean;
  /** Equal keys select the same contacts from the same columns at the same time. Contains no personal data. */
  readonly key: string;
  /** The evaluation time in ms, if the result changes with time; undefined if it never does. */
  readonly at?: number | undefined;
  /** When time alone next changes the result in a block, in ms; undefined: never. */
  readonly nextChangeIn: (columns: BlockColumns) => number | undefined;
}
const never = () => undefined;

/** The intersection of selections. */
export const allOf = (selections: readonly [Selection, ...Selection[]]): Selection => ({
  columns: new Set(selections.flatMap(({ columns }) => [...columns])),
  inBlock: (columns, block) =>
    selections.map(({ inBlock }) => inBlock(columns, block)).reduce((set, other) => set.and(other)),
  holds: (contact) => selections.every(({ holds }) => holds(contact)),
  key: JSON.stringify(selections.map(({ key }) => key)),
  at: selections.find(({ at }) => at !== undefined)?.at,
  nextChangeIn: (columns) => earliest(selections.map(({ nextChangeIn: next }) => next(columns))),
});

/** The contacts in any of some selections, and in none of others. */
export const anyOf = (selections: readonly Selection[], except: readonly Selection[] = []): Selection => {
  const all = [...selections, ...except];
  const union = (of: readonly Selection[], columns: BlockColumns, block: number) =>
    of.map(({ inBlock }) => inBlock(columns, block)).reduce((set, other) => set.or(other), new BlockSet());
  return {
    columns: new Set<ColumnName>(['base', ...all.flatMap(({ columns }) => [...columns])]),
    inBlock: (columns, block) => union(selections, columns, block).without(union(except, columns, block)),
    holds: (contact) => selections.some(({ holds }) => holds(contact)) && !except.some(({ holds }) => holds(contact)),
    key: `any ${JSON.stringify([selections, except].map((of) => of.map(({ key }) => key)))}`,
    at: all.find(({ at }) => at !== undefined)?.at,
    nextChangeIn: (columns) => earliest(all.map(({ nextChangeIn: next }) => next(columns))),
  };
};

/** The contacts that match a tree at `now` (ms). */
export const treeSelection = (tree: FilterTree, now: number): Selection => {
  const windows = windowsOf(tree);
  return {
    columns: columnsOf(tree),
    inBlock: (columns) => evaluate(tree, columns, now),
    holds: (contact) => matches(tree, digestOf(contact), now),
    key: `tree ${JSON.stringify(tree)}`,
    at: windows.length === 0 ? undefined : now,
    nextChangeIn: (columns) => nextChangeIn(columns, windows, now),
  };
};

/** The contacts with this consent and source; undefined: any. */
export const baseSelection = (
  optInStatus: OptInStatus | undefined,
  requested: ContactSource | undefined,
): Selection => {
  const isRequested = ({ optIn, source }: Pick<ReturnType<typeof readBase>, 'optIn' | 'source'>) =>
    (optInStatus === undefined || optIn === optInStatus) && (requested === undefined || source === requested);
  return {
    columns: new Set(['base']),
    inBlock: (columns) => baseWhere(columns, (base) => base.present && isRequested(base)),
    holds: (contact) => isRequested(digestOf(contact)),
    key: `base ${optInStatus ?? ''} ${requested ?? ''}`,
    nextChangeIn: never,
  };
};

/** The contacts with these numbers. */
export const numbersSelection = (numbers: NumberSet): Selection => ({
  columns: new Set(['base']),
  inBlock: (columns, block) =>
    BlockSet.of([...presentIn(columns).newestFirst()].filter((offset) => numbers.has(numberAt(block, offset)))),
  holds: ({ number }) => numbers.has(number),
  key: `numbers ${numbers.digest}`,
  nextChangeIn: never,
});

/** The contacts that changed at or after a time (ms). */
export const updatedSelection = (since: number): Selection => ({
  columns: new Set(['base', 'updates']),
  inBlock: (columns) => updatedSince(columns, since),
  holds: (contact) => contact.updatedAt >= since,
  key: `updated ${since}`,
  nextChangeIn: never,
});

/**
 * The contacts that match a search, by blind indexes of trigrams. A block's columns may match a few too many: those that contain the
 * trigrams in different places.
 */
export const searchSelection = (search: Search, indexOf: (gram: string) => number): Selection => {
  const alternatives = gramsOfSearch(search).map((grams) => [...grams].map(indexOf));
  return {
    columns: new Set<ColumnName>(['base', ...alternatives.flat().map(gramColumn)]),
    inBlock: (columns) => alternatives.map((grams) => gramsIn(columns, grams)).reduce((set, other) => set.or(other)),
    holds: (contact) => isFound(search, contact),
    key: `search ${JSON.stringify(alternatives)}`,
    nextChangeIn: never,
  };
};

/** Finds contacts by the audience's index. */
export interface AudienceIndex {
  /** The contacts of the organization in a selection. Includes all changes made before the call. */
  find(organizationId: Id<'organization'>, selection: Selection): Promise<Found>;
  /** Evaluates several selections in one pass. */
  findEach(organizationId: Id<'organization'>, selections: readonly Selection[]): Promise<readonly Found[]>;
  /** The contacts with these numbers, in order; deleted ones are omitted. */
  contacts(organizationId: Id<'organization'>, numbers: readonly number[]): Promise<readonly Contact[]>;
}
