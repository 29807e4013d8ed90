import * as z from 'zod';
import { findIssue } from '../domain/core/json-text.ts';
import { fieldErrors, zodErrorMap } from '../domain/core/zod-error-map.ts';

/*
 * Rows of imports are judged one by one: what is wrong with a row is told of it alone, and good rows enter. An operation names their field as `rowsIn`.
 */

/** What is wrong with a row, by field; no value of it. */
const messageOf = (errors: readonly { readonly path: string; readonly message: string }[]): string =>
  errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');

/** A row that has what no body may hold: NUL, lone surrogates, numbers that do not round-trip. The first choice of a row's union. */
export const hostileRow = z
  .unknown()
  .refine((row) => findIssue(row, '') !== undefined)
  .transform((row) => ({ invalid: messageOf([findIssue(row, '') ?? { path: '', message: '' }]) }));

/** A row that breaks its schema. The last choice of a row's union. */
export const brokenRow = (schemaOf: (row: unknown) => z.ZodType) =>
  z.unknown().transform((row) => ({
    invalid: messageOf(fieldErrors(schemaOf(row).safeParse(row, { error: zodErrorMap }).error ?? new z.ZodError([]))),
  }));
