import type { Id } from '../core/ids.ts';
import { withinBytes } from '../core/within-bytes.ts';
import type { Contact } from './contact.ts';
import { contactView } from './views.ts';

/** The properties that suggest that two contacts are the same person. */
export const DUPLICATE_REASONS = ['email', 'externalId'] as const;
export type DuplicateReason = (typeof DUPLICATE_REASONS)[number];

/** Another contact that may be the same person. */
export interface LikelyDuplicate {
  readonly contact: Contact;
  /** The properties that both share; at least one. */
  readonly by: readonly DuplicateReason[];
}

/** The maximum number returned: an address shared by more is not personal. */
export const MAX_DUPLICATES = 20;

export interface DuplicatePorts {
  /** Up to `limit` contacts with an address (blind index); eventually consistent. */
  readonly withEmail: (
    organizationId: Id<'organization'>,
    emailHash: string,
    most: number,
  ) => Promise<readonly Id<'contact'>[]>;
  /** The contacts whose own external id is one of these. */
  readonly withExternalIds: (
    organizationId: Id<'organization'>,
    externalIds: readonly string[],
  ) => Promise<readonly Id<'contact'>[]>;
  readonly readMany: (ids: readonly Id<'contact'>[]) => Promise<readonly Contact[]>;
}

/**
 * The contacts that may be the same person as this one: those with its e-mail address, and those whose own external id is an id that this one has in a
 * CRM. At most 20, and as many as fit into one response, in no promised order; the cost does not grow with the organization's contacts (docs/spec/contacts.md#finding-duplicates).
 */
export const likelyDuplicates = async (
  ports: DuplicatePorts,
  contact: Contact,
): Promise<readonly LikelyDuplicate[]> => {
  const { id, organizationId, emailHash, externalIds } = contact;
  const known = Object.values(externalIds ?? {}).filter((value) => value !== undefined);
  const nobody: readonly Id<'contact'>[] = [];
  const [email, externalId] = await Promise.all([
    emailHash === undefined ? nobody : ports.withEmail(organizationId, emailHash, MAX_DUPLICATES + 1),
    known.length === 0 ? nobody : ports.withExternalIds(organizationId, known),
  ]);
  const found = { email, externalId };
  const ids = [...new Set([...externalId, ...email])].filter((other) => other !== id).slice(0, MAX_DUPLICATES);
  const contacts = await ports.readMany(ids);
  // The index of addresses may lag behind a contact that changed its address.
  const isSo = { email: (other: Contact) => other.emailHash === emailHash, externalId: () => true };
  const likely = contacts.flatMap((other) => {
    const by = DUPLICATE_REASONS.filter((reason) => found[reason].includes(other.id) && isSo[reason](other));
    return other.organizationId === organizationId && by.length > 0 ? [{ contact: other, by }] : [];
  });
  return withinBytes(likely, ({ contact: other, by }) => ({ contact: contactView(other, true), by }));
};
