import { type Refusal, refuse } from '../errors.ts';
import { parsePhone } from '../phone.ts';
import type { Channel } from './provider.ts';

/**
 * By what the last message of a provider to somebody is found when an answer names none. Each channel has its own, since one provider may
 * carry several to the same phone. `hash` is the recipient's, of no organization.
 */
export const lastSentTo = (channel: Channel, hash: string): string =>
  channel === 'sms' ? `to:${hash}` : `${channel}-to:${hash}`;

/** The number of a recipient, as it was given; 422 for what is no existing number in E.164. */
export const phoneOf = (to: string): string | Refusal<'VALIDATION_ERROR'> =>
  parsePhone(to) ??
  refuse('VALIDATION_ERROR', {
    detail: 'The recipient is no phone number.',
    overview: 'invalid_phone',
    errors: [{ path: 'to', message: 'must be an existing number in E.164' }],
  });
