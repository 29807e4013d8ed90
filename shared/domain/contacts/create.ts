import type { Tenant } from '../core/actor.ts';
import { parseAddress } from '../core/email-address.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import type { Patch } from '../core/patch.ts';
import type { Contact, OptIn } from './contact.ts';
import { type DocumentName, sealDocuments } from './documents.ts';
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

/** The parsed body of a new contact; documents as the caller wrote them. */
export interface NewContact
  extends Pick<
      Contact,
      'phone' | 'name' | 'email' | 'avatarUrl' | 'externalId' | 'externalIds' | 'companyId' | 'papelNaEmpresa'
    >,
    Patch<Pick<Contact, 'attributes' | 'tags' | 'source'>>,
    Patch<Record<DocumentName, string>> {
  readonly debtorGroups?: Exclude<GivenFields['debtorGroups'], null>;
  readonly optIn?: Pick<OptIn, 'status' | 'source' | 'ip' | 'userAgent'> | undefined;
}

const NO_CONSENT: OptIn = { status: 'unknown' };

/** The consent that a caller provides, dated now whether granted or denied. */
export const givenOptIn = (optIn: NewContact['optIn'], now: number): OptIn => {
  if (!optIn) return NO_CONSENT;
  const moment = { granted: { at: now }, denied: { revokedAt: now }, unknown: {} }[optIn.status];
  return { ...optIn, ...moment };
};

/** A contact that is opted out because its phone opted out while no contact had it. */
export const optedOutWithPhone = <C extends Contact>(
  contact: C,
  { revokedAt, revokedReason }: Pick<OptIn, 'revokedAt' | 'revokedReason'>,
): C => ({ ...contact, optIn: { ...contact.optIn, status: 'denied', revokedAt, revokedReason } });

/** The same for a new contact: the consent of its body never took effect, and its proof would contradict the history. */
export const createdOptedOut: typeof optedOutWithPhone = (contact, phone) =>
  optedOutWithPhone({ ...contact, optIn: NO_CONSENT }, phone);

/**
 * Stores a contact with its event. If its phone opted out before it belonged to any contact, the contact is created as opted out whatever
 * the caller says; like an unsubscribed address, only an explicit opt-in reverts it.
 */
const storeContact = async (
  store: ContactPorts['store'],
  contact: Contact,
  now: number,
): Promise<Contact | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const outcome = await store.create(contact, contactEvent('contact.created', contact, now));
  switch (outcome.kind) {
    case 'created':
      return contact;
    case 'phone_opted_out':
      return storeContact(store, createdOptedOut(contact, outcome), now);
    case 'unknown_organization':
      return refuse('NOT_FOUND', 'There is no such organization.');
    default:
      return faultRefusal(outcome);
  }
};

/** Whether the response reveals that somebody already has the phone, and who. */
export const revealsPhone = (answer: Contact | Refusal): boolean =>
  isRefusal(answer) && answer.details.meta?.field === 'phone';

/** The blind index of an address, normalized as in a send, so that both are equal; undefined for an address that no send accepts. */
export const emailHashOf = async (
  recipients: ContactPorts['recipients'],
  organizationId: Id<'organization'>,
  email: string | undefined,
): Promise<string | undefined> => {
  const address = email === undefined ? undefined : parseAddress(email);
  return address === undefined ? undefined : (await recipients()).blindIndex(organizationId, 'email', address);
};

/** The contact of a validated body, created now (ms) with this id and number. Its documents are sealed. */
export const newContact = async (
  { recipients, documents }: Pick<ContactPorts, 'documents' | 'recipients'>,
  { organizationId, env }: Tenant,
  { input, checked }: { readonly input: NewContact; readonly checked: CheckedFields },
  { id, number, now }: { readonly id: Id<'contact'>; readonly number: number; readonly now: number },
): Promise<Contact> => {
  const { cpf: _cpf, cnpj: _cnpj, nascimento: _nascimento, ...fields } = input;
  const { phone = input.phone } = checked;
  return {
    ...fields,
    ...(await sealDocuments(documents, { id, organizationId }, checked.documents)),
    id,
    number,
    organizationId,
    env,
    phone,
    phoneHash: (await recipients()).blindIndex(organizationId, 'phone', phone),
    emailHash: await emailHashOf(recipients, organizationId, input.email),
    attributes: input.attributes ?? {},
    debtorGroups: input.debtorGroups && debtorGroupsOf(input.debtorGroups),
    tags: [...new Set(input.tags)],
    externalIds: externalIdsOf(input.externalIds),
    optIn: givenOptIn(input.optIn, now),
    source: input.source ?? 'api',
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
};

/**
 * Creates a contact in the caller's environment and raises contact.created. Documents are sealed before they reach the store. 409 names the
 * field that another contact already has; of two concurrent creations one wins (docs/spec/contacts.md#creating-a-contact).
 */
export const createContact = async (
  ports: ContactPorts,
  actor: Tenant,
  input: NewContact,
): Promise<Contact | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const now = ports.clock();
  const checked = checkFields(input, now);
  if (isRefusal(checked)) return checked;
  const number = await ports.store.takeNumbers(actor.organizationId, 1);
  const contact = await newContact(ports, actor, { input, checked }, { id: newId('contact'), number, now });
  return storeContact(ports.store, contact, now);
};
