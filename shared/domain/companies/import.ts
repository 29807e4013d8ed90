import type { Caller } from '../audit/entry.ts';
import { parseCnpj } from '../core/documents.ts';
import { type Id, newId } from '../core/ids.ts';
import { rowsOf, storedDrafts } from '../core/import-drafts.ts';
import { NOT_REACHED, type RefusedRow, type RowErrors, rowErrors } from '../core/refused-rows.ts';
import type { Clock } from '../core/time.ts';
import { unique } from '../core/unique.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Company } from './company.ts';
import { createdEvent, updatedEvent } from './events.ts';
import { changedFields, type NewCompany } from './fields.ts';
import { type Draft, type ImportPlan, type KnownCompanies, type PlannedRow, planImport } from './import-plan.ts';

/** Maximum rows of an import. */
export const MAX_ROWS = 500;

/** A row of an import: valid, or its errors. */
export type CompanyRow = { readonly valid: NewCompany } | { readonly invalid: string };
export interface CompanyImportResult {
  readonly criadas: number;
  readonly atualizadas: number;
  readonly erros: RowErrors;
}

/** A company to store, with its event. */
export interface CompanyToStore extends Pick<Draft, 'claim'> {
  readonly before?: Company | undefined;
  readonly after: Company;
  readonly event: DomainEvent;
}
/** The stored companies that the rows may refer to. */
export interface NamedByRows {
  readonly cnpjs: readonly string[];
  /** The names of rows without a CNPJ. */
  readonly names: readonly string[];
  readonly accounts: readonly Id<'account'>[];
  readonly contacts: readonly Id<'contact'>[];
}
export interface CompanyImportStore {
  load(organizationId: Id<'organization'>, named: NamedByRows): Promise<KnownCompanies>;
  /**
   * Stores companies validated against a version of the definitions, each whole or not at all; returns which were stored, in order. The
   * others may have changed since they were loaded.
   */
  storeAll(
    organizationId: Id<'organization'>,
    companies: readonly CompanyToStore[],
    definitions: number,
  ): Promise<readonly boolean[]>;
}
export interface CompanyImportPorts {
  readonly clock: Clock;
  readonly store: CompanyImportStore;
}

/** An import starts no further round after this time, in ms: its caller waits 28 s. */
const ENOUGH_MS = 18_000;
const MAX_ROUNDS = 50;

const namedBy = (rows: readonly PlannedRow[]): NamedByRows => ({
  cnpjs: unique(rows.map(({ input: { cnpj } }) => (cnpj === undefined ? undefined : parseCnpj(cnpj)))),
  names: unique(rows.map(({ input: { cnpj, nome } }) => (cnpj === undefined ? nome : undefined))),
  accounts: unique(rows.map(({ input }) => input.responsavelId)),
  contacts: unique(rows.map(({ input }) => input.contatoPrincipalId)),
});

const toStore = ({ before, after, claim }: Draft, now: number): CompanyToStore => {
  const event = before ? updatedEvent(after, changedFields(before, after), now) : createdEvent(after, now);
  return { before, after, event, ...(claim ? { claim } : {}) };
};

/** An import in progress, with the results of its rows so far. */
class Import {
  readonly #counts = { criada: 0, atualizada: 0 };
  readonly #errors: RefusedRow[] = [];
  #unanswered: readonly Draft[] = [];
  readonly #ports: CompanyImportPorts;
  readonly #caller: Caller;
  readonly #now: number;

  constructor(ports: CompanyImportPorts, caller: Caller) {
    this.#ports = ports;
    this.#caller = caller;
    this.#now = ports.clock();
  }

  #count(drafts: readonly Draft[]): void {
    for (const { rows } of drafts) for (const { outcome } of rows) this.#counts[outcome]++;
  }

  async #plan(rows: readonly PlannedRow[]) {
    const known = await this.#ports.store.load(this.#caller.organizationId, namedBy(rows));
    const stored = storedDrafts(this.#unanswered, known.companies);
    this.#count(stored);
    const done = new Set(rowsOf(stored));
    const context = { caller: this.#caller, now: this.#now, newId: () => newId('company') };
    return planImport(
      known,
      context,
      rows.filter((row) => !done.has(row)),
    );
  }

  /** Stores the changes of a plan; returns the rows of companies that were not stored. */
  async #store({ drafts, definitions }: ImportPlan): Promise<PlannedRow[]> {
    const all = [...drafts];
    const changed = all.filter(({ before, after }) => !before || changedFields(before, after).length > 0);
    const companies = changed.map((draft) => toStore(draft, this.#now));
    const stored = await this.#ports.store.storeAll(this.#caller.organizationId, companies, definitions);
    const failed = new Set(changed.filter((_, at) => !stored[at]));
    this.#count(all.filter((draft) => !failed.has(draft)));
    this.#unanswered = [...failed];
    return rowsOf(this.#unanswered);
  }

  async run(rows: readonly CompanyRow[]): Promise<CompanyImportResult> {
    let pending = rows.flatMap((row, at): PlannedRow[] => {
      if ('valid' in row) return [{ at, input: row.valid }];
      this.#errors.push({ at, message: row.invalid });
      return [];
    });
    for (let round = 0; round < MAX_ROUNDS && pending.length > 0; round++) {
      if (this.#ports.clock() - this.#now > ENOUGH_MS) break;
      const plan = await this.#plan(pending);
      for (const { row, message } of plan.errors) this.#errors.push({ at: row.at, message });
      pending = (await this.#store(plan)).sort((a, b) => a.at - b.at);
    }
    for (const { at } of pending) this.#errors.push({ at, message: NOT_REACHED });
    const { criada: criadas, atualizada: atualizadas } = this.#counts;
    return { criadas, atualizadas, erros: rowErrors(this.#errors) };
  }
}

/**
 * Imports companies in the order of their rows; an invalid row is reported and does not stop the others. Repeating an interrupted import
 * recognizes what it stored (docs/spec/companies.md#import).
 */
export const importCompanies = (
  ports: CompanyImportPorts,
  caller: Caller,
  { empresas }: { readonly empresas: readonly CompanyRow[] },
): Promise<CompanyImportResult> => new Import(ports, caller).run(empresas);
