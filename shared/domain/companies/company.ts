import type { AuditEntry } from '../audit/entry.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';

/** Free attributes, as contacts have them (docs/spec/companies.md#attributes). */
export type CompanyAttributes = ContactAttributes;

/** A company (docs/spec/companies.md#a-company). Times in ms. */
export interface Company extends Tenant {
  readonly id: Id<'company'>;
  readonly nome: string;
  /** Normalized: fourteen characters, upper case. */
  readonly cnpj?: string | undefined;
  readonly segmento?: string | undefined;
  readonly site?: string | undefined;
  readonly endereco?: string | undefined;
  readonly responsavelId?: Id<'account'> | undefined;
  readonly contatoPrincipalId?: Id<'contact'> | undefined;
  readonly atributos?: CompanyAttributes | undefined;
  readonly createdById: Id<'account'> | Id<'apiKey'>;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Optimistic lock: every change is conditional on the version that was read. */
  readonly version: number;
}

/** The fields that a caller sets, in the order of the documentation. */
export const COMPANY_FIELDS = [
  'nome',
  'cnpj',
  'segmento',
  'site',
  'endereco',
  'responsavelId',
  'contatoPrincipalId',
  'atributos',
] as const;
export type CompanyFields = Pick<Company, (typeof COMPANY_FIELDS)[number]>;

/** The counters of a company; money in whole cents, for each currency. */
export interface CompanyCounts {
  readonly contacts: number;
  readonly cards: number;
  readonly openCards: number;
  readonly openCents: number;
  readonly wonCards: number;
  readonly wonCents: number;
}
export const NOTHING_COUNTED: CompanyCounts = {
  contacts: 0,
  cards: 0,
  openCards: 0,
  openCents: 0,
  wonCards: 0,
  wonCents: 0,
};

/** A company with its counters. */
export interface CountedCompany {
  readonly company: Company;
  readonly counts: CompanyCounts;
  /** When one of its contacts last wrote, in ms; eventually consistent. */
  readonly lastInteractionAt?: number | undefined;
}

/** Why a company can't be stored: its CNPJ is taken, or the contact doesn't exist. */
export type CompanyFault = 'cnpj_taken' | 'unknown_contact';

/** The records of a deletion, derived from the removed counters. */
export interface DeletionRecord {
  readonly entry: AuditEntry;
  readonly event: DomainEvent;
}

/** Stores companies. Each change is one transaction with its event; a repeat after a lost response recognizes its own. */
export interface CompanyStore {
  /** `definitions`: the version of the attribute definitions that it was validated against; a conflict if they changed since. */
  create(company: Company, event: DomainEvent, definitions: number): Promise<'conflict' | 'saved' | CompanyFault>;
  /** The company with its counts, as of one moment. */
  read(organizationId: Id<'organization'>, id: Id<'company'>): Promise<CountedCompany | undefined>;
  change(
    before: Company,
    after: Company,
    event: DomainEvent,
    definitions: number,
  ): Promise<'conflict' | 'saved' | CompanyFault>;
  /** Deletes a company at a time (ms), with all of its index rows; links of its contacts and cards are removed. */
  remove(
    organizationId: Id<'organization'>,
    id: Id<'company'>,
    at: number,
    recordOf: (counts: CompanyCounts) => DeletionRecord,
  ): Promise<'absent' | 'conflict' | 'removed'>;
}

/** The people of an organization, as needed by companies. */
export interface ActiveAccounts {
  /** Which of these are active accounts of the organization. Strongly consistent. */
  activeOf(organizationId: Id<'organization'>, ids: readonly Id<'account'>[]): Promise<ReadonlySet<Id<'account'>>>;
}

export interface CompanyPorts {
  readonly clock: Clock;
  readonly store: CompanyStore;
  readonly accounts: ActiveAccounts;
  readonly definitions: DefinitionStore;
}

/** The types that an attribute definition can require. */
export const ATTRIBUTE_TYPES = ['string', 'number', 'boolean', 'date'] as const;

/** The definition of an attribute (docs/spec/companies.md#attribute-definitions). */
export interface AttributeDefinition {
  readonly key: string;
  readonly type: (typeof ATTRIBUTE_TYPES)[number];
  readonly label?: string | undefined;
  readonly required: boolean;
}

export interface StoredDefinitions {
  readonly defs: readonly AttributeDefinition[];
  /** 0 if none were ever set. */
  readonly version: number;
}

/** Counters of writes of an organization's company attributes, per shard. */
export type AttributeWriteCounts = readonly number[];

export interface NewDefinitions {
  readonly defs: readonly AttributeDefinition[];
  /** The version that they replace. */
  readonly over: number;
  /** Condition: no company got attributes since these counters were read. */
  readonly since?: AttributeWriteCounts | undefined;
}

export interface DefinitionStore {
  read(organizationId: Id<'organization'>): Promise<StoredDefinitions>;
  /** Replaces the definitions that were read; false if they changed meanwhile, or attributes were written. */
  replace(organizationId: Id<'organization'>, definitions: NewDefinitions, entry: AuditEntry): Promise<boolean>;
  /** Must be read before `heldAmong`. */
  attributeWrites(organizationId: Id<'organization'>): Promise<AttributeWriteCounts>;
  /**
   * Those of the keys under which companies of the organization were found to have values: empty if none has one, and not all of them
   * since the search stops at the first. Undefined if that is unknown after `withinMs`.
   */
  heldAmong(
    organizationId: Id<'organization'>,
    keys: readonly string[],
    withinMs: number,
  ): Promise<readonly string[] | undefined>;
}
