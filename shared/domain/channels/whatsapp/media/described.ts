import * as z from 'zod';
import type { Refusal } from '../../../core/errors.ts';
import { orUndefined } from '../../../core/or-undefined.ts';
import { refuseField } from '../../../core/refuse-field.ts';

/** Name and declared type of an upload. */
export interface FileDescription {
  readonly filename: string;
  readonly mimeType: string;
}

/** A file name, without folders. */
export const filename = z
  .string()
  .min(1)
  .max(240)
  .regex(/^[^\p{Cc}/\\]+$/u, 'must be a file name, without folders or control characters');

/** Sources of name and type in a raw upload: name in the query or in `x-filename`, type as the content type. */
export interface RawDescription {
  readonly queryName: string | undefined;
  /** Percent-encoded like a query, so that it can hold any name. */
  readonly headerName: string | undefined;
  readonly contentType: string | undefined;
}

const decodeQuery = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : (orUndefined(() => decodeURIComponent(text)) ?? '');

/** Name and type of a raw upload; 422 without a valid name. */
export const describeRawUpload = (raw: RawDescription): FileDescription | Refusal<'VALIDATION_ERROR'> => {
  const name = filename.safeParse(raw.queryName ?? decodeQuery(raw.headerName));
  if (name.success) return { filename: name.data, mimeType: raw.contentType ?? '' };
  return refuseField(
    'The file has no usable name: give one as `filename` in the query, or percent-encoded in `x-filename`.',
    'filename',
    'is needed, 1 to 240 characters without folders or control characters',
  );
};
