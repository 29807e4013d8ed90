import type { Caller } from '../audit/entry.ts';
import { parseCnpj } from '../core/documents.ts';
import type { FieldError } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { newCompany } from './companies.ts';
import type { Company, CompanyFields, StoredDefinitions } from './company.ts';
import { changedFields, FAULTS, fieldErrors, fieldsAfter, type NewCompany } from './fields.ts';

/** A valid row of an import, by its index in the body. */
export interface PlannedRow {
  readonly at: number;
  readonly input: NewCompany;
}

/** The stored companies that the rows refer to. */
export interface KnownCompanies {
  readonly companies: ReadonlyMap<Id<'company'>, Company>;
  readonly byCnpj: ReadonlyMap<string, Id<'company'>>;
  /** By name: the company that an import last created under it without a CNPJ; it may have been renamed or deleted. */
  readonly claims: ReadonlyMap<string, Id<'company'>>;
  readonly active: ReadonlySet<Id<'account'>>;
  readonly contacts: ReadonlySet<Id<'contact'>>;
  readonly definitions: StoredDefinitions;
}

export type RowOutcome = 'atualizada' | 'criada';
/** A company that rows create or change, and those rows; `before` is absent for a new one. */
export interface Draft {
  readonly before?: Company;
  after: Company;
  /** For a new company without a CNPJ: its name, and the company that an earlier import created under it. */
  readonly claim?: { readonly name: string; readonly over: Id<'company'> | undefined };
  readonly rows: { readonly row: PlannedRow; readonly outcome: RowOutcome }[];
}
export interface ImportPlan {
  /** The version of the definitions that the drafts were validated against. */
  readonly definitions: number;
  readonly drafts: Iterable<Draft>;
  readonly errors: readonly { readonly row: PlannedRow; readonly message: string }[];
}

export interface PlanContext {
  readonly caller: Caller;
  /** ms. */
  readonly now: number;
  readonly newId: () => Id<'company'>;
}

const messageOf = (errors: readonly FieldError[]): string =>
  errors.map(({ path, message }) => `${path} ${message}`).join('; ');

/** Plans a round of an import in memory: each company is written once, with the combined changes of its rows, in order. */
class Planner {
  readonly #known: KnownCompanies;
  readonly #context: PlanContext;
  readonly #drafts = new Map<Id<'company'>, Draft>();
  /** The holder of each CNPJ or name once the rows so far are stored. */
  readonly #byCnpj: Map<string, Id<'company'>>;
  readonly #byName = new Map<string, Set<Id<'company'>>>();
  readonly errors: { row: PlannedRow; message: string }[] = [];

  constructor(known: KnownCompanies, context: PlanContext) {
    this.#known = known;
    this.#context = context;
    this.#byCnpj = new Map(known.byCnpj);
    for (const { id, nome } of known.companies.values()) this.#name(id, undefined, nome);
  }

  get definitions(): number {
    return this.#known.definitions.version;
  }

  get drafts(): Iterable<Draft> {
    return this.#drafts.values();
  }

  #name(id: Id<'company'>, before: string | undefined, after: string): void {
    if (before !== undefined) this.#byName.get(before)?.delete(id);
    const named = this.#byName.get(after) ?? new Set();
    this.#byName.set(after, named.add(id));
  }

  #draftOf(id: Id<'company'> | undefined): Draft | undefined {
    const stored = id && this.#known.companies.get(id);
    if (stored && !this.#drafts.has(stored.id))
      this.#drafts.set(stored.id, { before: stored, after: stored, rows: [] });
    return id && this.#drafts.get(id);
  }

  /** The companies that a row refers to: by its CNPJ, else by its exact name. */
  #meant({ input: { cnpj, nome } }: PlannedRow): readonly Id<'company'>[] {
    if (cnpj === undefined) return [...(this.#byName.get(nome) ?? [])];
    const found = this.#byCnpj.get(parseCnpj(cnpj) ?? cnpj);
    return found === undefined ? [] : [found];
  }

  add(row: PlannedRow): void {
    const meant = this.#meant(row);
    const draft = this.#draftOf(meant[0]);
    const message =
      meant.length > 1
        ? 'nome is the name of more than one company: send the CNPJ of the one that is meant'
        : draft
          ? this.#update(draft, row)
          : this.#create(row);
    if (message !== undefined) this.errors.push({ row, message });
  }

  #faults(before: CompanyFields | undefined, after: CompanyFields): string | undefined {
    const { broken, links } = fieldErrors(before, after, this.#known);
    const contact = after.contatoPrincipalId;
    const isLinked =
      contact === undefined || contact === before?.contatoPrincipalId || this.#known.contacts.has(contact);
    const errors = [...broken, ...links, ...(isLinked ? [] : [FAULTS.unknown_contact])];
    return errors.length === 0 ? undefined : messageOf(errors);
  }

  #create(row: PlannedRow): string | undefined {
    const { caller, now, newId } = this.#context;
    const fields = fieldsAfter<CompanyFields>({ nome: row.input.nome }, row.input);
    const fault = this.#faults(undefined, fields);
    if (fault !== undefined) return fault;
    const after = newCompany(caller, fields, newId(), now);
    const { nome, cnpj } = after;
    const claim = cnpj === undefined ? { claim: { name: nome, over: this.#known.claims.get(nome) } } : {};
    this.#drafts.set(after.id, { after, ...claim, rows: [{ row, outcome: 'criada' }] });
    if (cnpj !== undefined) this.#byCnpj.set(cnpj, after.id);
    this.#name(after.id, undefined, nome);
    return undefined;
  }

  #update(draft: Draft, row: PlannedRow): string | undefined {
    const { now } = this.#context;
    const { after: before } = draft;
    const after = fieldsAfter(before, row.input);
    const fault = this.#faults(before, after);
    if (fault !== undefined) return fault;
    if (changedFields(before, after).length > 0) {
      const version = draft.before ? draft.before.version + 1 : 1;
      draft.after = { ...after, version, updatedAt: Math.max(now, before.updatedAt) };
    }
    this.#name(before.id, before.nome, after.nome);
    draft.rows.push({ row, outcome: 'atualizada' });
    return undefined;
  }
}

/** Plans the rows in order, based on what is stored. */
export const planImport = (known: KnownCompanies, context: PlanContext, rows: readonly PlannedRow[]): ImportPlan => {
  const planner = new Planner(known, context);
  for (const row of rows) planner.add(row);
  return planner;
};
