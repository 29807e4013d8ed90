import type { DomainEvent } from '../events/event.ts';
import type { Vault } from '../secrets.ts';
import type { Clock } from '../time.ts';
import type { Contact } from './contact.ts';

/** What stood in the way of a new contact; `contactId` is whose phone or external id it is. */
export type CreateOutcome =
  | { readonly kind: 'created' }
  | { readonly kind: 'taken'; readonly field: 'phone' | 'externalId'; readonly contactId: string }
  /** The phone opted out by itself before it was anybody's (ms): it can only be stored as opted out. */
  | { readonly kind: 'phone_opted_out'; readonly revokedAt: number; readonly revokedReason?: string | undefined }
  | { readonly kind: 'unknown_company' }
  | { readonly kind: 'unknown_organization' };

/** Where contacts are kept. Each change commits as a whole, its event included, or not at all. */
export interface ContactStore {
  /** Stores a new contact with its unique phone and external id. A repeat of the same call is one contact. */
  create(contact: Contact, event: DomainEvent): Promise<CreateOutcome>;
  read(id: string): Promise<Contact | undefined>;
  /**
   * Puts the consent of `after` on the contact, on its phone and on its e-mail address, where sends read it. False when the contact was changed since
   * `before` was read.
   */
  changeConsent(before: Contact, after: Contact, event?: DomainEvent): Promise<boolean>;
  /**
   * Takes back what a contact's recipients asked for themselves until a moment (ms): its e-mail address, and whoever was known as it when
   * they opted out. Nothing where none did.
   */
  liftOptOuts(contact: Contact, at: number): Promise<void>;
}

/** What is kept of an e-mail address itself, whoever has it. Addresses are blind indexes. */
export interface EmailConsentStore {
  /** The ids of an organization's contacts that have the address. Lags behind a creation of the last moment. */
  contactsOf(organizationId: string, emailHash: string): Promise<readonly string[]>;
  /** Marks the address as unsubscribed at a moment (ms); a repeat changes nothing. */
  unsubscribe(organizationId: string, emailHash: string, now: number): Promise<void>;
}

/** What the rules of contacts need from outside. */
export interface ContactPorts {
  readonly clock: Clock;
  readonly store: ContactStore;
  /** Opened only where personal data is sealed, opened or indexed. */
  readonly vault: () => Promise<Pick<Vault, 'blindIndex' | 'open' | 'seal'>>;
}
