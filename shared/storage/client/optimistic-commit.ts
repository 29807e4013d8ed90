import { randomBase62 } from '../../domain/core/ids.ts';
import { ABSENT } from './conditions.ts';
import type { Condition, WriteOp } from './expressions.ts';
import type { Row } from './row.ts';
import type { Table } from './table.ts';

export interface Commit {
  /** A row that counts its changes in `version`. */
  readonly row: Row;
  /** The version that it takes the place of; undefined for a new row. */
  readonly over?: number | undefined;
  /** What must happen in the same transaction. */
  readonly also?: readonly WriteOp[];
}
/** `refused`: a condition of `also[at]` failed; `row` is what stood there. */
export type CommitOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'refused'; readonly at: number; readonly row?: Row };

/** Condition: the row has this version. */
export const atVersion = (version: number): Condition => ({ text: '#version = :version', values: { version } });

/**
 * Puts a row that counts its changes in the place of the version that it was made of, and all that belongs to the change with it. The
 * attribute `mark` is the commit's own: by it a commit knows that it happened though its answer was lost.
 */
export const commit = async (table: Table, { row, over, also = [] }: Commit): Promise<CommitOutcome> => {
  const mark = randomBase62(16);
  const when = over === undefined ? ABSENT : atVersion(over);
  const outcome = await table.transact([{ put: { ...row, mark }, when }, ...also]);
  if (outcome.ok) return { kind: 'saved' };
  const [own, ...others] = outcome.reasons;
  if (own?.conditionFailed) return { kind: own.row?.mark === mark ? 'saved' : 'conflict' };
  const at = others.findIndex(({ conditionFailed }) => conditionFailed);
  const found = others[at]?.row;
  return at < 0 ? { kind: 'conflict' } : { kind: 'refused', at, ...(found ? { row: found } : {}) };
};
