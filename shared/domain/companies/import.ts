import type { Caller } from '../audit/entry.ts';
import { parseCnpj } from '../core/documents.ts';
import { type Id, newId } from '../core/ids.ts';
import { NOT_REACHED, type RefusedRow, type RowErrors, rowErrors } from '../core/refused-rows.ts';
import type { Clock } from '../core/time.ts';
import { unique } from '../core/unique.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Company } from './company.ts';
import { createdEvent, updatedEvent } from './events.ts';
import { changedFields, type NewCompany } from './fields.ts';
import { type Draft, type ImportPlan, type KnownCompanies, type PlannedRow, planImport } from './import-plan.ts';

/** Rows of one import. */
export const MAX_ROWS = 500;

/** A row of an import: one that keeps the contract, or why it does not. */
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
/** What rows name: what is stored of it decides what becomes of them. */
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
   * Stores companies that keep the definitions of a version, each whole or not at all; which of them, in their order. One that is not stored may have met a
   * change since it was loaded.
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

/** When an import begins no further round, in ms since it began: its caller waits 28 s. */
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

/** An import on its way: what became of its rows until now. */
class Import {
  readonly #counts = { criada: 0, atualizada: 0 };
  readonly #errors: RefusedRow[] = [];
  readonly #attempted = new Map<number, Id<'company'>>();
  readonly #ports: CompanyImportPorts;
  readonly #caller: Caller;
  readonly #now: number;

  constructor(ports: CompanyImportPorts, caller: Caller) {
    this.#ports = ports;
    this.#caller = caller;
    this.#now = ports.clock();
  }

  async #plan(rows: readonly PlannedRow[]) {
    const known = await this.#ports.store.load(this.#caller.organizationId, namedBy(rows));
    const context = {
      caller: this.#caller,
      now: this.#now,
      newId: () => newId('company'),
      wasCreatedBy: (at: number, id: Id<'company'>) => this.#attempted.get(at) === id,
    };
    return planImport(known, context, rows);
  }

  /** Stores what a plan changes; answers the rows of companies that were not stored. */
  async #store({ drafts, definitions }: ImportPlan): Promise<PlannedRow[]> {
    const all = [...drafts];
    const changed = all.filter(({ before, after }) => !before || changedFields(before, after).length > 0);
    const companies = changed.map((draft) => toStore(draft, this.#now));
    const stored = await this.#ports.store.storeAll(this.#caller.organizationId, companies, definitions);
    const failed = new Set(changed.filter((_, at) => !stored[at]));
    for (const draft of all)
      for (const { row, outcome } of draft.rows)
        if (!failed.has(draft)) this.#counts[outcome]++;
        else if (outcome === 'criada') this.#attempted.set(row.at, draft.after.id);
    return [...failed].flatMap(({ rows }) => rows.map(({ row }) => row));
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
 * Imports companies in the order of their rows; a row that is wrong is told, and stops no other. Repeating an import that was broken off finds what it stored
 * (docs/spec/companies.md#import).
 */
export const importCompanies = (
  ports: CompanyImportPorts,
  caller: Caller,
  { empresas }: { readonly empresas: readonly CompanyRow[] },
): Promise<CompanyImportResult> => new Import(ports, caller).run(empresas);
