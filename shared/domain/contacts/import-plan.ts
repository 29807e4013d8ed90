import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { contactAfter } from './change.ts';
import { type Contact, phoneHashesOf } from './contact.ts';
import { createdOptedOut, givenOptIn, type NewContact, newContact, optedOutWithPhone } from './create.ts';
import { checkFields } from './input.ts';
import type { ContactPorts, PhoneOptedOut } from './ports.ts';

/** A valid row of an import, by its index in the body. */
export interface PlannedRow {
  readonly at: number;
  readonly input: NewContact;
  readonly phoneHash: string;
}
export type OnConflict = 'skip' | 'update';

/** The stored holders of the phones, external ids and companies in the rows. */
export interface KnownContacts {
  readonly contacts: ReadonlyMap<Id<'contact'>, Contact>;
  /** By phone hash: the contact that has the phone, or the phone's own opt-out. */
  readonly phones: ReadonlyMap<string, Id<'contact'> | PhoneOptedOut>;
  readonly externalIds: ReadonlyMap<string, Id<'contact'>>;
  readonly companies: ReadonlySet<string>;
}

/** A contact that rows create or change, and those rows; `before` is absent for a new one. */
export interface Draft {
  readonly before?: Contact;
  after: Contact;
  readonly rows: { readonly row: PlannedRow; readonly outcome: RowOutcome }[];
}
export type RowOutcome = 'atualizado' | 'criado' | 'ignorado';
export interface ImportPlan {
  readonly drafts: Iterable<Draft>;
  readonly errors: readonly { readonly row: PlannedRow; readonly message: string }[];
  /** Rows that need what this plan frees or moves first, in order. */
  readonly deferred: readonly PlannedRow[];
}

export interface PlanContext {
  readonly ports: Pick<ContactPorts, 'documents' | 'recipients'>;
  readonly tenant: Tenant;
  readonly onConflict: OnConflict;
  /** ms. */
  readonly now: number;
  /** Returns the next number for a new contact. */
  readonly nextNumber: () => number;
  /** The id of the contact that a row creates. */
  readonly idOf: (at: number) => Id<'contact'>;
  /** Whether a row created this contact earlier, in an attempt whose response was lost. */
  readonly wasCreatedBy: (at: number, id: Id<'contact'>) => boolean;
}

/** The consent of an existing contact after a row: a withdrawal applies, and an opt-in only if consent was unknown. */
const withConsent = (contact: Contact, { optIn }: NewContact, now: number): Contact => {
  const from = contact.optIn.status;
  const counts = optIn?.status === 'denied' ? from !== 'denied' : optIn?.status === 'granted' && from === 'unknown';
  if (!optIn || !counts) return contact;
  const given = givenOptIn(optIn, now);
  return { ...contact, optIn: { ...contact.optIn, ...definedFields(given), status: given.status }, updatedAt: now };
};

const messageOf = ({ details: { detail, errors = [] } }: Refusal): string =>
  errors.length === 0 ? detail : errors.map(({ path, message }) => `${path} ${message}`).join('; ');

/** Plans a round of an import in memory: each contact is written once, with the combined changes of its rows, in order. */
class Planner {
  readonly #known: KnownContacts;
  readonly #context: PlanContext;
  readonly #drafts = new Map<Id<'contact'>, Draft>();
  /** The holder of each phone or external id once the rows so far are stored. */
  readonly #holders = new Map<string, Id<'contact'>>();
  /** Keys that the rows so far free, or that deferred rows use. */
  readonly #waiting = new Set<string>();
  readonly errors: { row: PlannedRow; message: string }[] = [];
  readonly deferred: PlannedRow[] = [];

  constructor(known: KnownContacts, context: PlanContext) {
    this.#known = known;
    this.#context = context;
    for (const [hash, holder] of known.phones)
      if (typeof holder === 'string') this.#holders.set(`phone ${hash}`, holder);
    for (const [id, holder] of known.externalIds) this.#holders.set(`external ${id}`, holder);
  }

  get drafts(): Iterable<Draft> {
    return this.#drafts.values();
  }

  #draftOf(id: Id<'contact'> | undefined): Draft | undefined {
    const stored = id && this.#known.contacts.get(id);
    if (stored && !this.#drafts.has(stored.id))
      this.#drafts.set(stored.id, { before: stored, after: stored, rows: [] });
    return id && this.#drafts.get(id);
  }

  #register({ id, phoneHash, externalId }: Contact): void {
    this.#holders.set(`phone ${phoneHash}`, id);
    if (externalId !== undefined) this.#holders.set(`external ${externalId}`, id);
  }

  /** The contact with the phone's own opt-out applied. */
  #underPhone(contact: Contact, optedOut = optedOutWithPhone): Contact {
    const holder = this.#known.phones.get(contact.phoneHash);
    const isOwn = typeof holder !== 'object' || contact.optIn.status === 'denied';
    return isOwn ? contact : optedOut(contact, holder);
  }

  async add(row: PlannedRow): Promise<void> {
    const { input, phoneHash } = row;
    const keys = [`phone ${phoneHash}`, ...(input.externalId === undefined ? [] : [`external ${input.externalId}`])];
    if (keys.some((key) => this.#waiting.has(key))) {
      for (const key of keys) this.#waiting.add(key);
      this.deferred.push(row);
      return;
    }
    const [byPhone, byExternalId] = keys.map((key) => this.#draftOf(this.#holders.get(key)));
    if (byPhone && byExternalId && byPhone !== byExternalId)
      return this.#refuse(row, 'phone and externalId are those of two contacts');
    const draft = byPhone ?? byExternalId;
    const message = await (draft ? this.#meet(draft, row) : this.#create(row));
    if (message !== undefined) this.#refuse(row, message);
  }

  #refuse(row: PlannedRow, message: string): void {
    this.errors.push({ row, message });
  }

  #companyFault({ companyId }: NewContact, before?: Contact): string | undefined {
    const isKnown = companyId === undefined || companyId === before?.companyId || this.#known.companies.has(companyId);
    return isKnown ? undefined : 'companyId is not a company of the organization';
  }

  async #create(row: PlannedRow): Promise<string | undefined> {
    const { ports, tenant, now, nextNumber, idOf } = this.#context;
    const checked = checkFields(row.input, now);
    if (isRefusal(checked)) return messageOf(checked);
    const fault = this.#companyFault(row.input);
    if (fault !== undefined) return fault;
    const made = await newContact(
      ports,
      tenant,
      { input: row.input, checked },
      {
        id: idOf(row.at),
        number: nextNumber(),
        now,
      },
    );
    const after = this.#underPhone(made, createdOptedOut);
    this.#drafts.set(after.id, { after, rows: [{ row, outcome: 'criado' }] });
    this.#register(after);
    return undefined;
  }

  async #meet(draft: Draft, row: PlannedRow): Promise<string | undefined> {
    const { onConflict, wasCreatedBy } = this.#context;
    if (wasCreatedBy(row.at, draft.after.id)) draft.rows.push({ row, outcome: 'criado' });
    else if (onConflict === 'skip') draft.rows.push({ row, outcome: 'ignorado' });
    else return this.#update(draft, row);
    return undefined;
  }

  async #update(draft: Draft, row: PlannedRow): Promise<string | undefined> {
    const { ports, now } = this.#context;
    const before = draft.after;
    const { optIn: _, source: __, ...change } = row.input;
    // A phone that a merge added to the contact, and that does not become its own.
    const phone = phoneHashesOf(before).includes(row.phoneHash) ? before.phone : change.phone;
    const changed = await contactAfter(ports, before, { ...change, phone }, now);
    if (isRefusal(changed)) return messageOf(changed);
    const fault = this.#companyFault(row.input, draft.before);
    if (fault !== undefined) return fault;
    draft.after = withConsent(this.#underPhone(changed), row.input, now);
    draft.rows.push({ row, outcome: 'atualizado' });
    if (before.phoneHash !== draft.after.phoneHash) this.#waiting.add(`phone ${before.phoneHash}`);
    if (before.externalId !== draft.after.externalId) this.#waiting.add(`external ${before.externalId}`);
    this.#register(draft.after);
    return undefined;
  }
}

/** Plans the rows in order, based on what is stored. */
export const planImport = async (
  known: KnownContacts,
  context: PlanContext,
  rows: readonly PlannedRow[],
): Promise<ImportPlan> => {
  const planner = new Planner(known, context);
  for (const row of rows) await planner.add(row);
  return { drafts: planner.drafts, errors: planner.errors, deferred: planner.deferred };
};
