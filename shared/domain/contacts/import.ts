import type { Tenant } from '../core/actor.ts';
import { type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { rowsOf, storedDrafts } from '../core/import-drafts.ts';
import { parsePhone } from '../core/phone.ts';
import { NOT_REACHED, type RefusedRow, type RowErrors, rowErrors } from '../core/refused-rows.ts';
import { unique } from '../core/unique.ts';
import type { DomainEvent } from '../events/event.ts';
import type { Contact } from './contact.ts';
import type { NewContact } from './create.ts';
import { contactEvent } from './events.ts';
import { type Draft, type KnownContacts, type OnConflict, type PlannedRow, planImport } from './import-plan.ts';
import type { ContactPorts } from './ports.ts';

/** Maximum rows of an import. */
export const MAX_ROWS = 5_000;

/** A row of an import: valid, or its errors. */
export type ImportRow = { readonly valid: NewContact } | { readonly invalid: string };
export interface ImportBody {
  readonly contatos: readonly ImportRow[];
  readonly onConflict: OnConflict;
}
export interface ImportResult {
  readonly criados: number;
  readonly atualizados: number;
  readonly ignorados: number;
  readonly erros: RowErrors;
}

/** A contact to store, and the event of its creation, or of an opt-out that the row records. */
export interface ContactToStore {
  readonly before?: Contact | undefined;
  readonly after: Contact;
  readonly event?: DomainEvent | undefined;
}
export interface ImportStore {
  organizationExists(organizationId: Id<'organization'>): Promise<boolean>;
  /** The stored holders of these keys. */
  load(
    organizationId: Id<'organization'>,
    keys: {
      readonly phoneHashes: readonly string[];
      readonly externalIds: readonly string[];
      readonly companyIds: readonly Id<'company'>[];
    },
  ): Promise<KnownContacts>;
  /** Stores contacts, each whole or not at all; returns which were stored, in order. The others may have changed since they were loaded. */
  storeAll(organizationId: Id<'organization'>, contacts: readonly ContactToStore[]): Promise<readonly boolean[]>;
}
export interface ImportPorts extends Pick<ContactPorts, 'clock' | 'documents' | 'recipients'> {
  readonly store: ImportStore & Pick<ContactPorts['store'], 'takeNumbers'>;
}

/** An import starts no further round after this time, in ms: its caller waits 29 s. */
const ENOUGH_MS = 20_000;
const MAX_ROUNDS = 50;
const PHONE_MESSAGE = 'phone must be an existing number in E.164';

const toStore = ({ before, after }: Draft, now: number): ContactToStore => {
  const isWithdrawn = before && before.optIn.status !== 'denied' && after.optIn.status === 'denied';
  const type = before ? ('contact.opted_out' as const) : ('contact.created' as const);
  return { before, after, event: !before || isWithdrawn ? contactEvent(type, after, now) : undefined };
};

/** Options of an import. */
export interface ImportOptions {
  readonly onConflict: OnConflict;
  /** The time after which no further round starts, in ms since the start. */
  readonly enoughMs: number;
  /** Called before each round: false if another worker has these rows by now. */
  readonly mayContinue: () => Promise<boolean>;
  /** The id of the contact that a row creates, by its index. */
  readonly idOf: (at: number) => Id<'contact'>;
  /** Whether a row created this contact in an earlier attempt whose outcome was lost. */
  readonly wasCreatedBy: (at: number, id: Id<'contact'>) => boolean;
}
/** The results of rows; `at` is a row's index. */
export interface ImportedRows {
  readonly created: number;
  readonly updated: number;
  readonly ignored: number;
  readonly errors: readonly { readonly at: number; readonly message: string }[];
  /** Rows that were not processed for lack of time; they are in no other list. */
  readonly unreached: readonly number[];
}

/** An import in progress, with the results of its rows so far. */
class Import {
  readonly #counts = { criado: 0, atualizado: 0, ignorado: 0 };
  readonly #errors: RefusedRow[] = [];
  #unanswered: readonly Draft[] = [];
  readonly #ports: ImportPorts;
  readonly #tenant: Tenant;
  readonly #options: ImportOptions;
  readonly #now: number;

  constructor(ports: ImportPorts, tenant: Tenant, options: ImportOptions) {
    this.#ports = ports;
    this.#tenant = tenant;
    this.#options = options;
    this.#now = ports.clock();
  }

  refuse(at: number, message: string): void {
    this.#errors.push({ at, message });
  }

  /** Rows with valid phones, with their blind indexes. */
  async #indexed(rows: readonly ImportRow[]): Promise<PlannedRow[]> {
    const vault = await this.#ports.recipients();
    return rows.flatMap((row, at) => {
      const phone = 'valid' in row ? parsePhone(row.valid.phone) : undefined;
      if (!('valid' in row) || phone === undefined) {
        this.refuse(at, 'invalid' in row ? row.invalid : PHONE_MESSAGE);
        return [];
      }
      const phoneHash = vault.blindIndex(this.#tenant.organizationId, 'phone', phone);
      return [{ at, input: row.valid, phoneHash }];
    });
  }

  #count(drafts: readonly Draft[]): void {
    for (const { rows } of drafts) for (const { outcome } of rows) this.#counts[outcome]++;
  }

  async #plan(pending: readonly PlannedRow[]) {
    const { organizationId } = this.#tenant;
    const known = await this.#ports.store.load(organizationId, {
      phoneHashes: unique(pending.map(({ phoneHash }) => phoneHash)),
      externalIds: unique(pending.map(({ input }) => input.externalId)),
      companyIds: unique(pending.map(({ input }) => input.companyId)),
    });
    const stored = storedDrafts(this.#unanswered, known.contacts);
    this.#count(stored);
    const done = new Set(rowsOf(stored));
    const rows = pending.filter((row) => !done.has(row));
    // A contact that was deleted while this was read is created again.
    const isThere = (holder: unknown) => known.contacts.has(holder as Id<'contact'>);
    const isNew = ({ phoneHash, input }: PlannedRow) =>
      !isThere(known.phones.get(phoneHash)) && !isThere(known.externalIds.get(input.externalId ?? ''));
    const news = rows.filter(isNew).length;
    let number = news === 0 ? 0 : await this.#ports.store.takeNumbers(organizationId, news);
    const { onConflict, idOf, wasCreatedBy } = this.#options;
    return planImport(
      known,
      {
        ports: this.#ports,
        tenant: this.#tenant,
        onConflict,
        now: this.#now,
        nextNumber: () => number++,
        idOf,
        wasCreatedBy,
      },
      rows,
    );
  }

  /** Stores the changes of a plan; returns the rows of contacts that were not stored. */
  async #store(drafts: Iterable<Draft>): Promise<PlannedRow[]> {
    const all = [...drafts];
    const changed = all.filter(({ before, after }) => before !== after);
    const contacts = changed.map((draft) => toStore(draft, this.#now));
    const stored = await this.#ports.store.storeAll(this.#tenant.organizationId, contacts);
    const failed = new Set(changed.filter((_, at) => !stored[at]));
    this.#count(all.filter((draft) => !failed.has(draft)));
    this.#unanswered = [...failed];
    return rowsOf(this.#unanswered);
  }

  async run(rows: readonly ImportRow[]): Promise<ImportedRows> {
    let pending = await this.#indexed(rows);
    let inTime = true;
    for (let round = 0; round < MAX_ROUNDS && pending.length > 0; round++) {
      inTime = this.#ports.clock() - this.#now <= this.#options.enoughMs && (await this.#options.mayContinue());
      if (!inTime) break;
      const plan = await this.#plan(pending);
      for (const { row, message } of plan.errors) this.refuse(row.at, message);
      const again = await this.#store(plan.drafts);
      pending = [...again, ...plan.deferred].sort((a, b) => a.at - b.at);
    }
    // Rows that wait for each other in a cycle can never be processed.
    if (inTime) for (const { at } of pending) this.refuse(at, NOT_REACHED);
    const { criado: created, atualizado: updated, ignorado: ignored } = this.#counts;
    const errors = this.#errors.sort((a, b) => a.at - b.at);
    return { created, updated, ignored, errors, unreached: inTime ? [] : pending.map(({ at }) => at) };
  }
}

/** Imports rows in order; an invalid one is reported and does not stop the others. */
export const importRows = (
  ports: ImportPorts,
  tenant: Tenant,
  rows: readonly ImportRow[],
  options: ImportOptions,
): Promise<ImportedRows> => new Import(ports, tenant, options).run(rows);

/**
 * Imports contacts in the order of their rows; an invalid row is reported and does not stop the others. Repeating an interrupted import
 * recognizes what it stored, and has the same result as one complete call (docs/spec/contacts.md#importing-contacts).
 */
export const importContacts = async (
  ports: ImportPorts,
  tenant: Tenant,
  { contatos, onConflict }: ImportBody,
): Promise<ImportResult | Refusal<'NOT_FOUND'>> => {
  if (!(await ports.store.organizationExists(tenant.organizationId)))
    return refuse('NOT_FOUND', 'There is no such organization.');
  const options: ImportOptions = {
    onConflict,
    enoughMs: ENOUGH_MS,
    mayContinue: async () => true,
    idOf: () => newId('contact'),
    wasCreatedBy: () => false,
  };
  const { created, updated, ignored, errors, unreached } = await importRows(ports, tenant, contatos, options);
  const late = unreached.map((at) => ({ at, message: NOT_REACHED }));
  const erros = rowErrors([...errors, ...late]);
  return { criados: created, atualizados: updated, ignorados: ignored, erros };
};
