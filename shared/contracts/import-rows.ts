import * as z from 'zod';
import { findIssue } from '../domain/core/json-text.ts';
import { fieldErrors, zodErrorMap } from '../domain/core/zod-error-map.ts';

/*
 * Rows of imports are validated one by one: errors are reported per row, and valid rows are imported. An operation declares their field as
 * `rowsIn`.
 */

/** The errors of a row, by field; never a value. */
const messageOf = (errors: readonly { readonly path: string; readonly message: string }[]): string =>
  errors.map(({ path, message }) => `${path} ${message}`.trim()).join('; ');

/** A row with content that no body may contain: NUL, lone surrogates, numbers that do not round-trip. The first option of a row's union. */
export const hostileRow = z
  .unknown()
  .refine((row) => findIssue(row, '') !== undefined)
  .transform((row) => ({ invalid: messageOf([findIssue(row, '') ?? { path: '', message: '' }]) }));

/** A row that violates its schema. The last option of a row's union. */
export const brokenRow = (schemaOf: (row: unknown) => z.ZodType) =>
  z.unknown().transform((row) => ({
    invalid: messageOf(fieldErrors(schemaOf(row).safeParse(row, { error: zodErrorMap }).error ?? new z.ZodError([]))),
  }));
