import { type FieldError, isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { definedFields } from '../core/patch.ts';
import { isSameValue } from '../core/same-value.ts';
import { type Contact, type DebtorGroup, MAX_MERGED_CONTACTS, type MergedContact, type OptIn } from './contact.ts';
import { clearDocuments, hasDocuments, type SealedDocuments, sealDocuments } from './documents.ts';
import { checkFields, externalIdsOf, MAX_DEBTS, MAX_TAGS } from './input.ts';
import type { ContactPorts } from './ports.ts';

/** The fields that a contact takes from its duplicate if it has none. */
const LACKED = ['name', 'avatarUrl', 'whatsappProfileName', 'externalId'] as const;

const lackedFields = (target: Contact, duplicate: Contact): Partial<Contact> =>
  Object.fromEntries(LACKED.map((name) => [name, target[name] ?? duplicate[name]]));

/** An address and its index belong together. */
const addressOf = (target: Contact, duplicate: Contact): Pick<Contact, 'email' | 'emailHash'> => {
  const { email, emailHash } = target.email === undefined ? duplicate : target;
  return { email, emailHash };
};

/** A role belongs to its company: the duplicate's is taken if the resulting contact has the same company. */
const companyOf = (target: Contact, duplicate: Contact): Pick<Contact, 'companyId' | 'papelNaEmpresa'> => {
  const companyId = target.companyId ?? duplicate.companyId;
  const role = duplicate.companyId === companyId ? duplicate.papelNaEmpresa : undefined;
  return { companyId, papelNaEmpresa: target.papelNaEmpresa ?? role };
};

const withoutId = ({ id: _, ...debt }: DebtorGroup) => definedFields(debt);
/** The debts of both; of equal ones, the target's. */
const debtsOf = (target: Contact, duplicate: Contact): readonly DebtorGroup[] | undefined => {
  const own = target.debtorGroups ?? [];
  const others = (duplicate.debtorGroups ?? []).filter(
    (debt) => !own.some((known) => isSameValue(withoutId(known), withoutId(debt))),
  );
  const all = [...own, ...others];
  return all.length > 0 ? all : undefined;
};

const proofOf = ({ source, at, ip, userAgent }: OptIn) => ({ source, at, ip, userAgent });
/**
 * A withdrawal of either wins, else an opt-in of either; the target's own if both have one. The proof of an earlier opt-in is kept next to
 * a withdrawal.
 */
export const mergedOptIn = (target: OptIn, duplicate: OptIn): OptIn => {
  const of = (status: OptIn['status']) => [target, duplicate].find((optIn) => optIn.status === status);
  const withdrawn = of('denied');
  if (!withdrawn) return of('granted') ?? target;
  const proved = [target, duplicate].find(({ at }) => at !== undefined);
  return { ...withdrawn, ...(proved ? proofOf(proved) : {}) };
};

/** The data that the contact keeps of its duplicate, and of contacts merged into that. */
const traceOf = (duplicate: Contact, email: string | undefined): MergedContact[] => {
  const { id, number, phone, phoneHash, emailHash } = duplicate;
  const address = emailHash === email ? {} : definedFields({ emailHash });
  return [{ id, number, phone, phoneHash, ...address }, ...(duplicate.mergedContacts ?? [])];
};

const documentsOf = async (
  vault: ContactPorts['documents'],
  target: Contact,
  duplicate: Contact,
): Promise<SealedDocuments> => {
  if (!hasDocuments(duplicate)) return {};
  const opened = await vault();
  const own = clearDocuments(opened, target);
  const lacked = Object.entries(clearDocuments(opened, duplicate)).filter(([name]) => !Object.hasOwn(own, name));
  return sealDocuments(vault, target, Object.fromEntries(lacked));
};

/** The limits that both together exceed. */
const limitErrors = ({ tags, debtorGroups = [], mergedContacts = [] }: Contact): FieldError[] =>
  [
    { path: 'tags', count: tags.length, most: MAX_TAGS },
    { path: 'debtorGroups', count: debtorGroups.length, most: MAX_DEBTS },
    { path: 'mergedContacts', count: mergedContacts.length, most: MAX_MERGED_CONTACTS },
  ].flatMap(({ path, count, most }) => (count > most ? [{ path, message: `would be ${count}, at most ${most}` }] : []));

/** The later of two optional times (ms). */
const later = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);

/**
 * A contact after its duplicate was merged into it at `now` (ms): its own values win, and missing ones come from the duplicate; documents
 * are sealed again, as seals are bound to the contact. 422 naming the field whose limit both together exceed
 * (docs/spec/contacts.md#merging-duplicates).
 */
export const mergedContact = async (
  vault: ContactPorts['documents'],
  target: Contact,
  duplicate: Contact,
  now: number,
): Promise<Contact | Refusal<'VALIDATION_ERROR'>> => {
  const address = addressOf(target, duplicate);
  const merged: Contact = {
    ...target,
    ...lackedFields(target, duplicate),
    ...address,
    ...companyOf(target, duplicate),
    ...(await documentsOf(vault, target, duplicate)),
    attributes: { ...duplicate.attributes, ...target.attributes },
    externalIds: externalIdsOf({ ...duplicate.externalIds, ...definedFields(target.externalIds ?? {}) }),
    debtorGroups: debtsOf(target, duplicate),
    tags: [...new Set([...target.tags, ...duplicate.tags])],
    optIn: mergedOptIn(target.optIn, duplicate.optIn),
    lastInteractionAt: later(target.lastInteractionAt, duplicate.lastInteractionAt),
    crmLinks: (target.crmLinks ?? 0) + (duplicate.crmLinks ?? 0) || undefined,
    mergedContacts: [...(target.mergedContacts ?? []), ...traceOf(duplicate, address.emailHash)],
    updatedAt: now,
    version: target.version + 1,
  };
  const checked = checkFields({ attributes: merged.attributes }, now);
  if (isRefusal(checked)) return checked;
  const errors = limitErrors(merged);
  return errors.length > 0
    ? refuse('VALIDATION_ERROR', { detail: 'The contacts have too much to be one.', errors })
    : merged;
};
