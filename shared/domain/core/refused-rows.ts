/** A row of an import that was refused: its place, from 0, and what is wrong with it, without a value of it. */
export interface RefusedRow {
  readonly at: number;
  readonly message: string;
}

/** Why a row is refused that was not reached within its call's time. */
export const NOT_REACHED = 'was not reached in time; send the row again';

/** Refused rows as imports answer them, in their order: `linha` counts the rows from 1. */
export type RowErrors = readonly { readonly linha: number; readonly mensagem: string }[];
export const rowErrors = (refused: readonly RefusedRow[]): RowErrors =>
  refused.toSorted((a, b) => a.at - b.at).map(({ at, message }) => ({ linha: at + 1, mensagem: message }));
