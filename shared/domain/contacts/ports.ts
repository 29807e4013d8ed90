import type { Id } from '../core/ids.ts';
import type { Vault } from '../core/secrets.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Contact } from './contact.ts';

/** Why a contact cannot be stored; `contactId` is the contact that already has the phone or external id. */
export type ContactFault =
  | { readonly kind: 'taken'; readonly field: 'phone' | 'externalId'; readonly contactId: Id<'contact'> }
  | { readonly kind: 'unknown_company' };
/** The phone opted out (at, in ms) before it belonged to a contact: the contact can only be stored as opted out. */
export interface PhoneOptedOut {
  readonly kind: 'phone_opted_out';
  readonly revokedAt: number;
  readonly revokedReason?: string | undefined;
}
/** Result of storing a new contact. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | ContactFault
  | PhoneOptedOut
  | { readonly kind: 'unknown_organization' };
/** Result of storing a changed contact. `stale`: it changed since it was read. */
export type ChangeOutcome = { readonly kind: 'changed' } | { readonly kind: 'stale' } | ContactFault | PhoneOptedOut;

/** Stores contacts. Each change commits atomically with its event. */
export interface ContactStore {
  /** Reserves `count` numbers for new contacts; returns the first. */
  takeNumbers(organizationId: Id<'organization'>, count: number): Promise<number>;
  /** Creates a contact with a unique phone and external id. Idempotent. */
  create(contact: Contact, event: DomainEvent): Promise<CreateOutcome>;
  read(id: Id<'contact'>): Promise<Contact | undefined>;
  /** Replaces `before` by `after`, and moves its lookup keys: phone, external id and address, with their consent. */
  change(before: Contact, after: Contact, event?: DomainEvent): Promise<ChangeOutcome>;
  /**
   * Writes the consent of `after` to the contact, its phone and its e-mail address, where sends read it. Returns false if the contact
   * changed since `before` was read.
   */
  changeConsent(before: Contact, after: Contact, event?: DomainEvent): Promise<boolean>;
  /** When the contact's e-mail address unsubscribed (ms), if the contacts with it remain to be opted out. */
  unsubscribedAt(contact: Contact): Promise<number | undefined>;
  /**
   * Clears opt-outs that recipients recorded themselves until `at` (ms): of the contact's e-mail address, and of every recipient linked to
   * the contact when it opted out. Idempotent.
   */
  clearOptOuts(contact: Contact, at: number): Promise<void>;
}

/** The fields of a contact that static lists need. */
type ListMember = Pick<Contact, 'id' | 'number' | 'organizationId'>;
/** The static lists that contain contacts. */
export interface ContactLists {
  /** Removes an erased contact from all lists. Idempotent, and safe to interrupt anywhere. */
  forget(contact: ListMember): Promise<void>;
  /** Replaces a merged contact by the surviving one in all lists. Idempotent, and safe to interrupt anywhere. */
  replace(merged: Omit<ListMember, 'id'>, by: ListMember): Promise<void>;
}

/** Consent per e-mail address, whoever owns it. Addresses are blind indexes. */
export interface EmailConsentStore {
  /** The organization's contacts with this address. Eventually consistent. */
  contactsOf(organizationId: Id<'organization'>, emailHash: string): Promise<readonly Id<'contact'>[]>;
  /**
   * Marks the address as unsubscribed at `at` (ms), and its contacts as due to be opted out, in one write: should the caller not get to it,
   * due work does. A repeat keeps the time of the first unsubscription.
   */
  unsubscribe(organizationId: Id<'organization'>, emailHash: string, at: number): Promise<void>;
  /** When the address last unsubscribed (ms); undefined once its contacts are opted out. */
  unsubscribedAt(organizationId: Id<'organization'>, emailHash: string): Promise<number | undefined>;
  /** Records that the contacts are opted out, unless the address unsubscribed again after `at` (ms). */
  finishUnsubscribe(organizationId: Id<'organization'>, emailHash: string, at: number): Promise<void>;
}

/** Ports of the contact rules. */
export interface ContactPorts {
  readonly clock: Clock;
  readonly store: ContactStore;
  /** Indexes phones and addresses. Opened only when needed. */
  readonly recipients: () => Promise<Pick<Vault, 'blindIndex'>>;
  /** Seals and opens documents. Opened only when needed. */
  readonly documents: () => Promise<Pick<Vault, 'open' | 'seal'>>;
}
