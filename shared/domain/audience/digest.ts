import type { Contact, ContactSource, OptInStatus } from '../contacts/contact.ts';
import type { ContactAttributes } from '../core/json-values.ts';

/** Channels that a contact may have an address on, as filters ask for them. */
export const FILTER_CHANNELS = ['whatsapp', 'email'] as const;
export type FilterChannel = (typeof FILTER_CHANNELS)[number];

/** What the audience's index says of a contact: what filters ask for, and nothing that names the person. */
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

/** What the index holds of a contact: also blind indexes of what it is searched by. */
export interface IndexedContact extends ContactDigest {
  readonly grams: readonly number[];
  /** What tells its e-mail address from others, by its blind index; absent without one. */
  readonly emailNumber?: number | undefined;
}

/** Hexadecimal digits that a number holds exactly: of a million addresses, any two are taken for one with a chance of one in ten thousand. */
const EMAIL_DIGITS = 13;
/** An e-mail address as a number above 0, from its blind index. */
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
