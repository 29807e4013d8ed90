import { randomBytes } from 'node:crypto';
import { all } from './conditions.ts';
import type { Condition, Update, WriteOp } from './expressions.ts';
import type { Row } from './row.ts';
import type { Table, TransactOutcome } from './table.ts';

/** Random bytes of a mark. It only has to differ from the marks of the same row's other claims within a call's repeats. */
const MARK_BYTES = 6;

/**
 * The mark of a claim, stored with it. If the write's answer is lost, its repeat fails its own condition, and knows by the mark that the
 * claim is its own: no time or version proves that, since another worker may claim within the same millisecond.
 */
export const claimMark = (): string => randomBytes(MARK_BYTES).toString('base64url');

/**
 * The attribute of the mark. Writers that may overtake each other's repeats have one each, so that none hides another's: `claim` of those
 * that work on a row, `mark` of those that change it.
 */
type MarkName = 'claim' | 'healthMark' | 'mark';

/** An update with a mark. Its repeat fails even if the update's own condition still holds: it neither adds nor appends twice. */
const marked = (update: Update, name: MarkName) => {
  const mark = claimMark();
  const isFirst: Condition = {
    text: `(attribute_not_exists(#${name}) OR #${name} <> :own_${name})`,
    values: { [`own_${name}`]: mark },
  };
  const write: WriteOp = {
    ...update,
    set: { ...update.set, [name]: mark },
    when: update.when ? all(update.when, isFirst) : isFirst,
  };
  return { write, isOwn: (row: Row | undefined): boolean => row?.[name] === mark };
};

/** Makes an update once, and returns the row after it, also if its answer was lost; undefined if its condition failed. */
export const updateOnce = async (table: Table, update: Update, name: MarkName = 'claim'): Promise<Row | undefined> => {
  const { write, isOwn } = marked(update, name);
  const { ok, row } = await table.write(write);
  return ok || isOwn(row) ? row : undefined;
};

/** The same with the writes of `also` in its transaction. The reasons of a failure are the update's, then theirs. */
export const transactOnce = async (
  table: Table,
  update: Update,
  also: readonly WriteOp[],
  name: MarkName = 'claim',
): Promise<TransactOutcome> => {
  const { write, isOwn } = marked(update, name);
  const outcome = await table.transact([write, ...also]);
  return !outcome.ok && isOwn(outcome.reasons[0]?.row) ? { ok: true } : outcome;
};
