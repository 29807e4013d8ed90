import type { NumberSet } from '../audience/number-set.ts';
import type { Id } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';
import type { Clock } from '../core/time.ts';
import type { StaticList } from './list.ts';

/** `taken`: another list has the name. `conflict`: the list changed since it was read. */
export type ListOutcome =
  | { readonly kind: 'saved' }
  | { readonly kind: 'conflict' }
  | { readonly kind: 'limit_reached' }
  | { readonly kind: 'taken'; readonly listId: Id<'list'> };

/** Stores lists, without their members. */
export interface ListStore {
  /** Idempotent. At most `MAX_LISTS` per organization, even with concurrent calls. */
  create(list: StaticList): Promise<ListOutcome | { readonly kind: 'unknown_organization' }>;
  /** All lists of an organization, unordered; consistent. */
  all(organizationId: Id<'organization'>): Promise<readonly StaticList[]>;
  read(organizationId: Id<'organization'>, id: Id<'list'>): Promise<StaticList | undefined>;
  /** Writes name, description and `updatedAt` of `after`, if the name is still that of `before`; members may change meanwhile. */
  change(before: StaticList, after: StaticList): Promise<ListOutcome>;
  /** Deletes a list, and its members afterwards; false if it changed since it was read. */
  remove(list: StaticList): Promise<boolean>;
}

/** Kinds of identifiers that name contacts, in the order of the interface. */
export const IDENTIFIER_KINDS = ['externalIds', 'contactIds', 'phones'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];
/** Contacts identified by any kinds together. Any text is allowed: if it matches no contact, it is reported as not found. */
export type Identifiers = { readonly [K in IdentifierKind]?: readonly string[] | undefined };

/** The result of a lookup of identifiers. */
export interface FoundContacts {
  /** The numbers of the contacts. */
  readonly numbers: NumberSet;
  /** Per kind, the distinct identifiers without a contact of the organization, in order. */
  readonly notFound: Readonly<Record<IdentifierKind, readonly string[]>>;
}

/** The kind of an edit: add the named contacts, remove them, or make the list consist of exactly these. */
export type Edit = 'add' | 'remove' | 'replace';
/** The result of an edit; `total` is the size of the list afterwards. */
export interface EditResult {
  readonly added: number;
  readonly removed: number;
  readonly total: number;
}

/** An edit that has read its list, and that detects contacts deleted from then on. */
export interface OpenEdit {
  /** Finds contacts that exist now. Throws `Unavailable` if the table does not answer in time. */
  find(identifiers: Identifiers): Promise<FoundContacts>;
  /**
   * Commits the new members atomically. Concurrent edits behave as if they ran one after the other. Undefined if the list was deleted
   * meanwhile; throws `Unavailable` if every attempt conflicted.
   */
  commit(edit: Edit, contacts: NumberSet): Promise<EditResult | undefined>;
}
/** Stores the members of lists. */
export interface MemberStore {
  /** Undefined if the organization has no such list. */
  open(organizationId: Id<'organization'>, id: Id<'list'>): Promise<OpenEdit | undefined>;
}

export interface ListPorts {
  readonly clock: Clock;
  readonly store: ListStore;
}
export interface MemberPorts {
  readonly members: MemberStore;
}

/** Indexes a phone of an organization. Opened only when needed. */
export type PhoneIndex = () => Promise<Pick<Vault, 'blindIndex'>>;
