import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';

/** The rows of a contact's latest transitions, one for each segment. */
export const membershipRange = (contactId: Id<'contact'>) => {
  const { pk: partition, sk: prefix } = KEYS.membership(contactId, '');
  return { partition, sort: { text: 'begins_with(#sk, :prefix)', values: { prefix } } } as const;
};
