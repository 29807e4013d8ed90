import type { Contact, ContactSource, OptInStatus } from '../contacts/contact.ts';
import type { ContactAttributes } from '../core/json-values.ts';

/** Channels that filters can require an address on. */
export const FILTER_CHANNELS = ['whatsapp', 'email'] as const;
export type FilterChannel = (typeof FILTER_CHANNELS)[number];

/** The filterable facts of a contact in the audience's index; none of them identifies the person. */
export interface ContactDigest {
  readonly tags: readonly string[];
  readonly attributes: ContactAttributes;
  readonly optIn: OptInStatus;
  readonly source: ContactSource;
  readonly hasEmail: boolean;
  /** ms. */
  readonly lastInteractionAt?: number | undefined;
  /** ms. */
  readonly updatedAt: number;
}

/** The indexed data of a contact: the digest, and blind indexes for search. */
export interface IndexedContact extends ContactDigest {
  readonly grams: readonly number[];
  /** Distinguishes its e-mail address from others, derived from its blind index; absent without one. */
  readonly emailNumber?: number | undefined;
}

/** Hexadecimal digits that a number holds exactly: the chance that any two of a million addresses collide is one in ten thousand. */
const EMAIL_DIGITS = 13;
/** A number above 0 for an e-mail address, from its blind index. */
export const emailNumberOf = (emailHash: string): number =>
  Number.parseInt(Buffer.from(emailHash, 'base64url').toString('hex').slice(0, EMAIL_DIGITS), 16) + 1;

export const digestOf = (contact: Contact): ContactDigest => ({
  tags: contact.tags,
  attributes: contact.attributes,
  optIn: contact.optIn.status,
  source: contact.source,
  hasEmail: contact.email !== undefined,
  lastInteractionAt: contact.lastInteractionAt,
  updatedAt: contact.updatedAt,
});

/** The channels on which a contact has an address; every contact has a phone. */
export const channelsOf = ({ hasEmail }: Pick<ContactDigest, 'hasEmail'>): readonly FilterChannel[] =>
  hasEmail ? ['whatsapp', 'email'] : ['whatsapp'];
