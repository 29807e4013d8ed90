import { type Refusal, refuse } from '../errors.ts';
import { parsePhone } from '../phone.ts';

/** The number of a recipient, as it was given; 422 for what is no existing number in E.164. */
export const phoneOf = (to: string): string | Refusal<'VALIDATION_ERROR'> =>
  parsePhone(to) ??
  refuse('VALIDATION_ERROR', {
    detail: 'The recipient is no phone number.',
    overview: 'invalid_phone',
    errors: [{ path: 'to', message: 'must be an existing number in E.164' }],
  });
