import { type Refusal, refuse } from './errors.ts';

/** 422 for one field of a request: what is wrong with the whole, and where. */
export const refuseField = (detail: string, path: string, message: string): Refusal<'VALIDATION_ERROR'> =>
  refuse('VALIDATION_ERROR', { detail, errors: [{ path, message }] });
