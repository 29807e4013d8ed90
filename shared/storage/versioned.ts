import { randomBase62 } from '../domain/ids.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { fullRows, pageKeys } from './pages.ts';
import type { QueryRange, Row, Table } from './table.ts';

/** A row that counts its changes. `mark` is the commit's own: by it a commit knows that it happened though its answer was lost. */
type VersionedRow = { readonly pk: string; readonly sk: string; readonly version: number } & Readonly<
  Record<string, unknown>
>;
export interface Commit {
  readonly row: VersionedRow;
  /** The version that it takes the place of; undefined for a new row. */
  readonly over?: number | undefined;
  /** What must happen in the same transaction. */
  readonly also?: readonly WriteOp[];
}
/** `refused`: a condition of `also[at]` failed; `row` is what stood there. */
export type CommitOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'moved' }
  | { readonly kind: 'refused'; readonly at: number; readonly row?: Row };

const ABSENT: Condition = { text: 'attribute_not_exists(#pk)' };
/** That a row stands at a version. */
export const atVersion = (version: number): Condition => ({ text: '#version = :version', values: { version } });

/** Puts a row that counts its changes in the place of the version that it was made of, and all that belongs to the change with it. */
export const commit = async (table: Table, { row, over, also = [] }: Commit): Promise<CommitOutcome> => {
  const mark = randomBase62(16);
  const when = over === undefined ? ABSENT : atVersion(over);
  const outcome = await table.transact([{ put: { ...row, mark }, when }, ...also]);
  if (outcome.ok) return { kind: 'saved' };
  const [own, ...others] = outcome.reasons;
  if (own?.conditionFailed) return { kind: own.row?.mark === mark ? 'saved' : 'moved' };
  const at = others.findIndex(({ conditionFailed }) => conditionFailed);
  const found = others[at]?.row;
  return at < 0 ? { kind: 'moved' } : { kind: 'refused', at, ...(found ? { row: found } : {}) };
};

/** What a list is filtered by: an attribute's value, or (`contains`) one that a list of values holds. */
export interface ListFilter {
  readonly is: Readonly<Record<string, string | undefined>>;
  readonly contains?: Readonly<Record<string, string | undefined>>;
}

const conditionOf = ({ is, contains = {} }: ListFilter): Condition | undefined => {
  const values: Record<string, string> = {};
  const terms: string[] = [];
  const add = (wanted: ListFilter['is'], term: (name: string) => string) => {
    for (const [name, value] of Object.entries(wanted)) {
      if (value === undefined) continue;
      values[`is_${name}`] = value;
      terms.push(term(name));
    }
  };
  add(is, (name) => `#${name} = :is_${name}`);
  add(contains, (name) => `contains(#${name}, :is_${name})`);
  return terms.length > 0 ? { text: terms.join(' AND '), values } : undefined;
};

/** A page of an organization's list, newest first, with its exact total: both read narrow index rows, and only the page's own rows in full. */
export const listPage = async (
  table: Table,
  partition: string,
  filter: ListFilter,
  { skip, limit }: { readonly skip: number; readonly limit: number },
): Promise<{ readonly rows: readonly Row[]; readonly total: number }> => {
  const condition = conditionOf(filter);
  const range: QueryRange = { index: 'gsi1', partition, ...(condition ? { filter: condition } : {}) };
  const [keys, total] = await Promise.all([
    pageKeys(table, { ...range, newestFirst: true }, skip, limit),
    table.count(range),
  ]);
  return { rows: await fullRows(table, keys), total };
};
