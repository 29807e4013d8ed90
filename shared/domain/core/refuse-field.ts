import { type Refusal, refuse } from './errors.ts';

/** 422 for one field of a request: a summary, and the field's path and error. */
export const refuseField = (detail: string, path: string, message: string): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', { detail, errors: [{ path, message }] });
