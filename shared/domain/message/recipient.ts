import { type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { parsePhone } from '../core/phone.ts';
import type { Channel } from './channel.ts';

/**
 * The reference that finds the last messages to a recipient, for replies that name no message. Separate for each
 * channel, since a provider may serve several channels to the same phone, and for each sender that organizations have;
 * without a sender, it is the provider's own. `hash` is the recipient's global hash.
 */
export const lastSentReference = (channel: Channel, hash: string, sender?: string): string =>
  sender === undefined ? `${channel}-to:${hash}` : `${channel}-to:${hash}:from:${sender}`;

/** An organization's last message to a recipient from a sender; `at` in ms. */
export interface LastSent {
  readonly organizationId: Id<'organization'>;
  readonly messageId: Id<'message'>;
  readonly at: number;
}

/** Longest user id or push token, in characters. */
const MAX_ID_LENGTH = 4096;

/** The recipient's id on the channel, unchanged; 422 when it is empty, too long, or has spaces or control characters. */
export const recipientIdOf = (to: string): string | Refusal<'VALIDATION_ERROR'> =>
  to.length > 0 && to.length <= MAX_ID_LENGTH && !/[\p{Cc}\s]/u.test(to)
    ? to
    : refuse('VALIDATION_ERROR', {
        detail: 'The recipient is not in the format of its channel.',
        v1Code: 'invalid_recipient',
        errors: [{ path: 'to', message: "must be the recipient's id on the channel" }],
      });

/** The recipient's phone number, unchanged; 422 unless it is an existing number in E.164. */
export const phoneOf = (to: string): string | Refusal<'VALIDATION_ERROR'> =>
  parsePhone(to) ??
  refuse('VALIDATION_ERROR', {
    detail: 'The recipient is not a phone number.',
    v1Code: 'invalid_phone',
    errors: [{ path: 'to', message: 'must be an existing number in E.164' }],
  });
