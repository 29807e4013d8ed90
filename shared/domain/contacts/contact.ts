import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import type { ContactAttributes } from '../json-values.ts';

/** What a person said to being written to (interface 2.9): `denied` forbids every channel, `unknown` forbids none. */
export const OPT_IN_STATUSES = ['granted', 'denied', 'unknown'] as const;
export type OptInStatus = (typeof OPT_IN_STATUSES)[number];

/** Where a contact came from. */
export const CONTACT_SOURCES = ['manual', 'import', 'api', 'webhook'] as const;
export type ContactSource = (typeof CONTACT_SOURCES)[number];

/** What a contact is in the company that it belongs to. */
export const COMPANY_ROLES = ['decisor', 'financeiro', 'operacao', 'outro'] as const;
export type CompanyRole = (typeof COMPANY_ROLES)[number];

/** The CRM systems that a contact may have an id of its own in. */
export const EXTERNAL_SYSTEMS = ['hubspot', 'pipedrive', 'rdStation', 'salesforce'] as const;
export type ExternalIds = { readonly [S in (typeof EXTERNAL_SYSTEMS)[number]]?: string | undefined };

/** A contact's consent. The proof of an opt-in (source, moment, address, device) stays when it is revoked. */
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

/** What a contact owes, by creditor; kept by the billing integration. */
export interface DebtorGroup {
  readonly id: string;
  readonly company: string;
  readonly phones: readonly string[];
  /** BRL cents. */
  readonly amountCents?: number | undefined;
  readonly status?: 'vencida' | 'em_atraso' | 'em_dia' | undefined;
  readonly reference?: string | undefined;
}

/** A contact as it is stored (interface 2.9). Times are ms; documents only sealed. */
export interface Contact {
  readonly id: Id<'contact'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  /** E.164. */
  readonly phone: string;
  /** Blind index of the organization and the phone. */
  readonly phoneHash: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Blind index of the organization and the e-mail address. */
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
  readonly companyId?: string | undefined;
  readonly papelNaEmpresa?: CompanyRole | undefined;
  readonly lastInteractionAt?: number | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Counts the changes: a change holds only over the version that it was made of. */
  readonly version: number;
}
