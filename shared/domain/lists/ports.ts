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
  /** Idempotent. At most `MAX_LISTS` an organization, whoever creates at once. */
  create(list: StaticList): Promise<ListOutcome | { readonly kind: 'unknown_organization' }>;
  /** All lists of an organization, in no order; consistent. */
  all(organizationId: Id<'organization'>): Promise<readonly StaticList[]>;
  read(organizationId: Id<'organization'>, id: Id<'list'>): Promise<StaticList | undefined>;
  /** Writes name, description and `updatedAt` of `after`, if the name is still that of `before`; members may change meanwhile. */
  change(before: StaticList, after: StaticList): Promise<ListOutcome>;
  /** Deletes a list, and later its members; false if it changed since it was read. */
  remove(list: StaticList): Promise<boolean>;
}

/** Kinds of identifiers that name contacts, in the order of the interface. */
export const IDENTIFIER_KINDS = ['externalIds', 'contactIds', 'phones'] as const;
export type IdentifierKind = (typeof IDENTIFIER_KINDS)[number];
/** Contacts as a caller names them, of any kinds together. Any text: what names no contact is not found. */
export type Identifiers = { readonly [K in IdentifierKind]?: readonly string[] | undefined };

/** What was found of identifiers. */
export interface FoundContacts {
  /** The numbers of the contacts. */
  readonly numbers: NumberSet;
  /** Of each kind, the distinct identifiers that name no contact of the organization, in their order. */
  readonly notFound: Readonly<Record<IdentifierKind, readonly string[]>>;
}

/** What a call does with the contacts that it names: adds them, takes them out, or makes the list of exactly these. */
export type Edit = 'add' | 'remove' | 'replace';
/** What an edit did; `total` is the size of the list after it. */
export interface EditResult {
  readonly added: number;
  readonly removed: number;
  readonly total: number;
}

/** An edit that has read its list, and is told of contacts that are deleted from then on. */
export interface OpenEdit {
  /** Finds contacts that exist now. Throws `Unavailable` when the table does not answer in time. */
  find(identifiers: Identifiers): Promise<FoundContacts>;
  /**
   * Changes the members at once for all readers. Edits at once have the effect of one after the other. Undefined when the list was deleted
   * meanwhile; throws `Unavailable` when others changed it each time.
   */
  commit(edit: Edit, contacts: NumberSet): Promise<EditResult | undefined>;
}
/** Stores the members of lists. */
export interface MemberStore {
  /** Undefined when the organization has no such list. */
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
