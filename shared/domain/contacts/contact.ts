import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';

/** A person's consent: `denied` blocks every channel, `unknown` blocks none (docs/spec/contacts.md#consent). */
export const OPT_IN_STATUSES = ['granted', 'denied', 'unknown'] as const;
export type OptInStatus = (typeof OPT_IN_STATUSES)[number];

export const CONTACT_SOURCES = ['manual', 'import', 'api', 'webhook'] as const;
export type ContactSource = (typeof CONTACT_SOURCES)[number];

/** A contact's role in its company. */
export const COMPANY_ROLES = ['decisor', 'financeiro', 'operacao', 'outro'] as const;
export type CompanyRole = (typeof COMPANY_ROLES)[number];

/** CRM systems in which a contact may have an external id. */
export const EXTERNAL_SYSTEMS = ['hubspot', 'pipedrive', 'rdStation', 'salesforce'] as const;
export type ExternalIds = { readonly [S in (typeof EXTERNAL_SYSTEMS)[number]]?: string | undefined };

/** A contact's consent. The proof of an opt-in (source, time, IP address, user agent) is kept when it is revoked. */
export interface OptIn {
  readonly status: OptInStatus;
  /** Where consent was given. */
  readonly source?: string | undefined;
  /** When consent was given, in ms. */
  readonly at?: number | undefined;
  readonly ip?: string | undefined;
  readonly userAgent?: string | undefined;
  /** When consent was withdrawn, in ms. */
  readonly revokedAt?: number | undefined;
  readonly revokedReason?: string | undefined;
}

export const DEBT_STATUSES = ['vencida', 'em_atraso', 'em_dia'] as const;

/** A contact's debts by creditor. */
export interface DebtorGroup {
  readonly id: Id<'debtorGroup'>;
  readonly company: string;
  readonly phones: readonly string[];
  /** BRL cents. */
  readonly amountCents?: number | undefined;
  readonly status?: (typeof DEBT_STATUSES)[number] | undefined;
  readonly reference?: string | undefined;
}

/** The data that a contact keeps of one that was merged into it: the keys that still find the person, for lookups and for erasure. */
export interface MergedContact {
  readonly id: Id<'contact'>;
  readonly number: number;
  /** E.164; absent once the phone is the contact's own or was given up. It finds the contact that lists it here. */
  readonly phone?: string | undefined;
  /** Blind index of that phone. */
  readonly phoneHash?: string | undefined;
  readonly emailHash?: string | undefined;
}
/** Maximum number of contacts merged into one, including indirectly: their lookup keys are changed in one transaction. */
export const MAX_MERGED_CONTACTS = 20;

/** A stored contact (docs/spec/contacts.md#contact-shape). Times in ms; documents only sealed. */
export interface Contact extends Tenant {
  readonly id: Id<'contact'>;
  /**
   * Numbers the organization's contacts from 1, roughly in the order of their creation; lists and the audience's index are sets of such
   * numbers.
   */
  readonly number: number;
  /** E.164. */
  readonly phone: string;
  /** Blind index of the phone, scoped to the organization. */
  readonly phoneHash: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Blind index of the e-mail address, scoped to the organization. */
  readonly emailHash?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly whatsappProfileName?: string | undefined;
  readonly cpfCipher?: string | undefined;
  readonly cnpjCipher?: string | undefined;
  readonly birthDateCipher?: string | undefined;
  readonly attributes: ContactAttributes;
  readonly debtorGroups?: readonly DebtorGroup[] | undefined;
  readonly tags: readonly string[];
  readonly optIn: OptIn;
  readonly source: ContactSource;
  readonly externalId?: string | undefined;
  readonly externalIds?: ExternalIds | undefined;
  readonly companyId?: Id<'company'> | undefined;
  readonly papelNaEmpresa?: CompanyRole | undefined;
  readonly lastInteractionAt?: number | undefined;
  readonly mergedContacts?: readonly MergedContact[] | undefined;
  /** How often a card, an activity or a company was linked to the contact, or to one that was merged into it. Not shown. */
  readonly crmLinks?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock: every change is conditional on the version that was read. */
  readonly version: number;
}

/** The blind indexes of all phones of a contact: its own first, then those of contacts merged into it. */
export const phoneHashesOf = ({
  phoneHash,
  mergedContacts = [],
}: Pick<Contact, 'mergedContacts' | 'phoneHash'>): readonly string[] => [
  phoneHash,
  ...mergedContacts.flatMap((merged) => merged.phoneHash ?? []),
];
