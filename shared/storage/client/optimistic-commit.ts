import { randomBase62 } from '../../domain/core/ids.ts';
import { ABSENT } from './conditions.ts';
import type { Condition, WriteOp } from './expressions.ts';
import type { Row } from './row.ts';
import type { Table } from './table.ts';

export interface Commit {
  /** A row that counts its changes in `version`. */
  readonly row: Row;
  /** The version that it replaces; undefined for a new row. */
  readonly over?: number | undefined;
  /** Writes of the same transaction. */
  readonly also?: readonly WriteOp[];
  /** Reports a conflict with another transaction as a conflict instead of retrying, for callers that read again first. */
  readonly reportConflicts?: boolean;
}
/** `refused`: the condition of `also[at]` failed; `row` is the current row there. */
export type CommitOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'refused'; readonly at: number; readonly row?: Row };

/** Condition: the row has this version; 0 for a row from before its kind counted them. */
export const atVersion = (version: number): Condition =>
  version === 0
    ? { text: 'attribute_exists(#pk) AND attribute_not_exists(#version)' }
    : { text: '#version = :version', values: { version } };

/**
 * Replaces a versioned row if it still has the version it was derived from, together with the writes of `also`. The attribute `mark` is
 * unique to the commit, so that a repeat recognizes its own commit when the response was lost.
 */
export const commit = async (
  table: Table,
  { row, over, also = [], reportConflicts = false }: Commit,
): Promise<CommitOutcome> => {
  const mark = randomBase62(16);
  const when = over === undefined ? ABSENT : atVersion(over);
  const outcome = await table.transact([{ put: { ...row, mark }, when }, ...also], { reportConflicts });
  if (outcome.ok) return { kind: 'saved' };
  const [own, ...others] = outcome.reasons;
  if (own?.conditionFailed) return { kind: own.row?.mark === mark ? 'saved' : 'conflict' };
  const at = others.findIndex(({ conditionFailed }) => conditionFailed);
  const found = others[at]?.row;
  return at < 0 ? { kind: 'conflict' } : { kind: 'refused', at, ...(found ? { row: found } : {}) };
};
