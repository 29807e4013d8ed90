import type { Tenant } from '../core/actor.ts';
import { isRefusal, type Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import { isSameValue } from '../core/same-value.ts';
import { findContact } from './consent.ts';
import type { Contact, EXTERNAL_SYSTEMS, MergedContact } from './contact.ts';
import { emailHashOf, optedOutWithPhone } from './create.ts';
import { changedDocuments, type DocumentName } from './documents.ts';
import { contactEvent } from './events.ts';
import {
  type CheckedFields,
  checkFields,
  debtorGroupsOf,
  externalIdsOf,
  faultRefusal,
  type GivenFields,
} from './input.ts';
import type { ContactPorts } from './ports.ts';

type Clearable = 'avatarUrl' | 'companyId' | 'email' | 'externalId' | 'name' | 'papelNaEmpresa' | 'tags';
/** A change of a contact as JSON Merge Patch: absent fields stay, null clears; attributes and external ids are merged by their keys. */
export interface ContactChange
  extends Patch<Pick<Contact, Clearable | 'phone' | 'source'>, Clearable>,
    Patch<Record<DocumentName, string>, DocumentName> {
  readonly attributes?: ContactAttributes | null | undefined;
  readonly externalIds?:
    | { readonly [S in (typeof EXTERNAL_SYSTEMS)[number]]?: string | null | undefined }
    | null
    | undefined;
  readonly debtorGroups?: GivenFields['debtorGroups'];
}

/** A field after a change: kept if absent, cleared by null. */
const replaced = <T>(before: T | undefined, given: T | null | undefined): T | undefined =>
  given === undefined ? before : (given ?? undefined);

type Values = Readonly<Record<string, unknown>>;
/** A record after a merge patch: null removes a key, or, in place of the record, all keys. */
const merged = <T extends object>(before: T, given: Values | null | undefined): T => {
  if (given === undefined) return before;
  const entries = given === null ? [] : Object.entries({ ...before, ...given });
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || !Object.hasOwn(given ?? {}, key))) as T;
};

type Plain = 'avatarUrl' | 'companyId' | 'externalId' | 'name' | 'papelNaEmpresa';
const PLAIN = ['avatarUrl', 'companyId', 'externalId', 'name', 'papelNaEmpresa'] as const satisfies readonly Plain[];

/** The other phones of a contact: one that becomes its own is not listed twice. */
const withoutPhone = (merged: readonly MergedContact[], own: string): readonly MergedContact[] =>
  merged.map(({ phone, phoneHash, ...one }) => (phone === own ? one : { ...one, phone, phoneHash }));

/** The fields of a contact after a change, including unchanged ones; documents sealed. */
const fieldsAfter = async (
  { recipients, documents }: Pick<ContactPorts, 'documents' | 'recipients'>,
  before: Contact,
  change: ContactChange,
  checked: CheckedFields,
): Promise<Partial<Contact>> => {
  const { organizationId } = before;
  const phone = checked.phone ?? before.phone;
  const email = replaced(before.email, change.email);
  return {
    ...Object.fromEntries(PLAIN.map((name) => [name, replaced(before[name], change[name])])),
    phone,
    phoneHash:
      phone === before.phone ? before.phoneHash : (await recipients()).blindIndex(organizationId, 'phone', phone),
    mergedContacts: before.mergedContacts && withoutPhone(before.mergedContacts, phone),
    email,
    emailHash: email === before.email ? before.emailHash : await emailHashOf(recipients, organizationId, email),
    source: change.source ?? before.source,
    tags: [...new Set(replaced(before.tags, change.tags))],
    attributes: merged(before.attributes, change.attributes),
    externalIds: externalIdsOf(merged(definedFields(before.externalIds ?? {}), change.externalIds)),
    debtorGroups: change.debtorGroups
      ? debtorGroupsOf(change.debtorGroups, before.debtorGroups)
      : replaced(before.debtorGroups, change.debtorGroups),
    ...(await changedDocuments(documents, before, checked.documents)),
  };
};

/** The contact after a change at `now` (ms); `before` itself if nothing changes. */
export const contactAfter = async (
  ports: Pick<ContactPorts, 'documents' | 'recipients'>,
  before: Contact,
  change: ContactChange,
  now: number,
): Promise<Contact | Refusal<'VALIDATION_ERROR'>> => {
  const attributes = change.attributes && merged(before.attributes, change.attributes);
  const checked = checkFields({ ...change, attributes: attributes ?? undefined }, now);
  if (isRefusal(checked)) return checked;
  const fields = await fieldsAfter(ports, before, change, checked);
  const isSame = Object.entries(fields).every(([name, value]) => isSameValue(value, before[name as keyof Contact]));
  return isSame ? before : { ...before, ...fields, updatedAt: now, version: before.version + 1 };
};

type ChangeRefusal = Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>;

/**
 * Stores a changed contact. If its new phone opted out while no contact had it, the contact is stored as opted out, and contact.opted_out
 * is raised if it was not before. `CONFLICT` if the contact changed since `before` was read.
 */
export const storeChange = async (
  store: ContactPorts['store'],
  before: Contact,
  after: Contact,
): Promise<Contact | Refusal<'CONFLICT' | 'VALIDATION_ERROR'> | typeof CONFLICT> => {
  const isWithdrawn = after.optIn.status === 'denied' && before.optIn.status !== 'denied';
  const event = isWithdrawn ? contactEvent('contact.opted_out', after, after.updatedAt) : undefined;
  const outcome = await store.change(before, after, event);
  switch (outcome.kind) {
    case 'changed':
      return after;
    case 'stale':
      return CONFLICT;
    case 'phone_opted_out':
      return storeChange(store, before, optedOutWithPhone(after, outcome));
    default:
      return faultRefusal(outcome);
  }
};

/**
 * Changes a contact, with the checks of a new one; a change without effect stores nothing. The old phone and external id become free, and
 * an opt-out also stays with the old phone (docs/spec/contacts.md#changing-a-contact).
 */
export const changeContact = (
  ports: ContactPorts,
  { organizationId }: Pick<Tenant, 'organizationId'>,
  id: Id<'contact'>,
  change: ContactChange,
): Promise<Contact | ChangeRefusal> =>
  retryOnConflict<Contact | ChangeRefusal>('The contact', async () => {
    const before = await findContact(ports, organizationId, id);
    if (isRefusal(before)) return before;
    const after = await contactAfter(ports, before, change, ports.clock());
    return isRefusal(after) || after === before ? after : storeChange(ports.store, before, after);
  });
