import { isoTime } from '../domain/time.ts';
import { KEYS } from './access-patterns.ts';
import type { WriteOp } from './expressions.ts';

/** The opt-out of a phone that is no contact's, at ms: what its contact begins with, once it has one. */
export const phoneOptOutWrite = (
  org: string,
  hash: string,
  { at, reason }: { readonly at: number; readonly reason: string },
): WriteOp => ({
  update: KEYS.phone(org, hash),
  set: { org, optInStatus: 'denied', revokedAt: isoTime(at), revokedReason: reason },
  when: { text: 'attribute_not_exists(#contactId)' },
});

/** Takes such an opt-out back, with its row, where it was asked for before `at` (ms) in words that begin so. */
export const phoneOptInWrite = (org: string, hash: string, at: number, asked: string): WriteOp => ({
  delete: KEYS.phone(org, hash),
  when: {
    text: 'attribute_not_exists(#contactId) AND begins_with(#revokedReason, :asked) AND #revokedAt < :at',
    values: { asked, at: isoTime(at) },
  },
});
