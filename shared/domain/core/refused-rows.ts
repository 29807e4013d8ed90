/** A rejected row of an import: its index, from 0, and the error, which never repeats a value. */
export interface RefusedRow {
  readonly at: number;
  readonly message: string;
}

/** The error of a row that was not processed within the request's time limit. */
export const NOT_REACHED = 'was not reached in time; send the row again';

/** Rejected rows as import responses list them, in order; `linha` starts at 1. */
export type RowErrors = readonly { readonly linha: number; readonly mensagem: string }[];
export const rowErrors = (refused: readonly RefusedRow[]): RowErrors =>
  refused.toSorted((a, b) => a.at - b.at).map(({ at, message }) => ({ linha: at + 1, mensagem: message }));
