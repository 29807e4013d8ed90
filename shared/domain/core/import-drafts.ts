import { isSameValue } from './same-value.ts';

/** An object as a round of an import writes it, and the rows that it is made of; `before` is absent for a new one. */
interface Draft<T, R> {
  readonly before?: T;
  readonly after: T;
  readonly rows: readonly { readonly row: R }[];
}

/** The rows of drafts. */
export const rowsOf = <R>(drafts: readonly Pick<Draft<unknown, R>, 'rows'>[]): R[] =>
  drafts.flatMap(({ rows }) => rows.map(({ row }) => row));

/**
 * Of drafts that were reported as not stored, those that are: their call was executed, and its answer lost. A new object is recognized by its id,
 * whatever became of it since; a changed one while it is as the draft left it, with its version.
 *
 * Their rows must not be planned again: a row that named the object by what a later row changed would create another one.
 */
export const storedDrafts = <T extends { readonly id: string }, D extends Draft<T, unknown>>(
  unanswered: readonly (D & Draft<T, unknown>)[],
  found: ReadonlyMap<T['id'], T>,
): D[] =>
  unanswered.filter(({ before, after }) => {
    const now = found.get(after.id);
    return now !== undefined && (before === undefined || isSameValue(now, after));
  });
