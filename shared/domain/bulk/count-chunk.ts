import { NEVER_SENT, type SentCounts } from '../contacts/frequency.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { type CountedSend, countAnother, countSend } from '../sending/frequency.ts';
import type { Item, PresentContact } from './chunk.ts';

/** The known send counts of contacts. */
export type KnownCounts = ReadonlyMap<Id<'contact'>, SentCounts>;

/** The contacts whose frequency caps the messages count towards, without duplicates. */
export const countedContacts = (items: readonly Item[]): Id<'contact'>[] => [
  ...new Set(items.flatMap(({ frequency }) => frequency?.contactId ?? [])),
];

/** The contacts that must exist for a chunk's messages, without duplicates. */
export const presentContacts = (items: readonly Item[]): readonly PresentContact[] => {
  const present = new Map<Id<'contact'>, PresentContact>();
  for (const { frequency, person } of items) {
    const contact = person ?? frequency;
    if (contact && present.get(contact.contactId)?.merges === undefined)
      present.set(contact.contactId, { contactId: contact.contactId, merges: person?.merges });
  }
  return [...present.values()];
};

/**
 * Counts a chunk's messages for their contacts' frequency caps at `now` (ms), in order. Messages that exceed a cap are `capped`, each with
 * its refusal, and don't count.
 */
export const countChunk = (
  items: readonly Item[],
  known: KnownCounts,
  now: number,
): {
  readonly counts: readonly CountedSend[];
  readonly capped: readonly { readonly item: Item; readonly refusal: Refusal<'PRECONDITION_FAILED'> }[];
} => {
  const counted = new Map<Id<'contact'>, CountedSend>();
  const capped: { item: Item; refusal: Refusal<'PRECONDITION_FAILED'> }[] = [];
  for (const item of items) {
    if (!item.frequency) continue;
    const { contactId } = item.frequency;
    const sent = known.get(contactId) ?? NEVER_SENT;
    const before = counted.get(contactId);
    const count = before
      ? countAnother(before, sent, item.frequency, now)
      : countSend(contactId, sent, item.frequency, now);
    if (isRefusal(count)) capped.push({ item, refusal: count });
    else counted.set(contactId, count);
  }
  return { counts: [...counted.values()], capped };
};
