import type { Tenant } from '../core/actor.ts';
import { parseBirthDate, parseCnpj, parseCpf } from '../core/documents.ts';
import { parseAddress } from '../core/email-address.ts';
import { type FieldError, isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { Patch } from '../core/patch.ts';
import { parsePhone } from '../core/phone.ts';
import type { Contact, OptIn } from './contact.ts';
import { type DocumentName, sealDocuments } from './documents.ts';
import { contactEvent } from './events.ts';
import type { ContactPorts, CreateOutcome } from './ports.ts';

/** The parsed body of a new contact; documents as the caller wrote them. */
export interface NewContact
  extends Pick<
      Contact,
      'phone' | 'name' | 'email' | 'avatarUrl' | 'externalId' | 'externalIds' | 'companyId' | 'papelNaEmpresa'
    >,
    Patch<Pick<Contact, 'attributes' | 'tags' | 'source'>>,
    Patch<Record<DocumentName, string>> {
  readonly optIn?: Pick<OptIn, 'status' | 'source' | 'ip' | 'userAgent'> | undefined;
}

/** Max. size of the attributes as JSON, in bytes: a DynamoDB item holds 400 KB in all. */
export const MAX_ATTRIBUTES_BYTES = 200 * 1024;

interface ValidInput {
  readonly phone: string;
  readonly documents: Readonly<Partial<Record<DocumentName, string>>>;
}
type Parser = (value: string, now: number) => string | undefined;
const DOCUMENT_RULES: readonly (readonly [DocumentName, Parser, string])[] = [
  ['cpf', parseCpf, 'must be a CPF with right check digits, masked or not'],
  ['cnpj', parseCnpj, 'must be a CNPJ with right check digits, masked or not'],
  ['nascimento', parseBirthDate, 'must be a day of the calendar as YYYY-MM-DD, from 1900 to today'],
];

/** Checks what the body's schema cannot; reports all errors at once. */
const validateInput = (input: NewContact, now: number): ValidInput | Refusal<'VALIDATION_ERROR'> => {
  const errors: FieldError[] = [];
  const phone = parsePhone(input.phone);
  if (!phone) errors.push({ path: 'phone', message: 'must be an existing number in E.164' });
  const documents: Partial<Record<DocumentName, string>> = {};
  for (const [name, parse, message] of DOCUMENT_RULES) {
    const given = input[name];
    if (given === undefined) continue;
    const parsed = parse(given, now);
    if (parsed === undefined) errors.push({ path: name, message });
    else documents[name] = parsed;
  }
  if (input.attributes && Buffer.byteLength(JSON.stringify(input.attributes)) > MAX_ATTRIBUTES_BYTES)
    errors.push({ path: 'attributes', message: `must take at most ${MAX_ATTRIBUTES_BYTES} bytes as JSON` });
  if (!phone || errors.length > 0)
    return refuse('VALIDATION_ERROR', { detail: 'The contact breaks the contract.', errors });
  return { phone, documents };
};

/** The initial consent, dated now whether granted or denied. */
const initialOptIn = (optIn: NewContact['optIn'], now: number): OptIn => {
  if (!optIn) return { status: 'unknown' };
  const moment = { granted: { at: now }, denied: { revokedAt: now }, unknown: {} }[optIn.status];
  return { ...optIn, ...moment };
};

const refusalOf = (
  outcome: Exclude<CreateOutcome, { kind: 'created' | 'phone_opted_out' }>,
): Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'> => {
  switch (outcome.kind) {
    case 'taken': {
      const { field, contactId } = outcome;
      const code = field === 'phone' ? 'TELEFONE_JA_CADASTRADO' : 'EXTERNAL_ID_JA_CADASTRADO';
      return refuse('CONFLICT', { detail: `Another contact has this ${field}.`, meta: { code, field, contactId } });
    }
    case 'unknown_company':
      return refuse('VALIDATION_ERROR', {
        detail: 'The company does not exist.',
        meta: { code: 'VINCULO_INVALIDO' },
        errors: [{ path: 'companyId', message: 'is no company of the organization' }],
      });
    case 'unknown_organization':
      return refuse('NOT_FOUND', 'There is no such organization.');
  }
};

/**
 * Stores a contact with its event. If its phone opted out before it belonged to any contact, the contact is created as opted out whatever
 * the caller says; like an unsubscribed address, only an explicit opt-in reverts it.
 */
const storeContact = async (
  store: ContactPorts['store'],
  contact: Contact,
  now: number,
): Promise<Contact | ReturnType<typeof refusalOf>> => {
  const outcome = await store.create(contact, contactEvent('contact.created', contact, now));
  if (outcome.kind === 'created') return contact;
  if (outcome.kind !== 'phone_opted_out') return refusalOf(outcome);
  const { revokedAt, revokedReason } = outcome;
  return storeContact(
    store,
    { ...contact, optIn: { ...contact.optIn, status: 'denied', revokedAt, revokedReason } },
    now,
  );
};

/** Whether the answer tells that somebody already has the phone, and who. */
export const tellsOfPhone = (answer: Contact | Refusal): boolean =>
  isRefusal(answer) && answer.details.meta?.field === 'phone';

/**
 * Creates a contact in the caller's environment and raises contact.created. Documents are sealed before they reach the store. 409 names the
 * field that another contact already has; of two concurrent creations one wins (docs/spec/contacts.md#creating-a-contact).
 */
export const createContact = async (
  { clock, store, recipients, documents }: ContactPorts,
  actor: Tenant,
  input: NewContact,
): Promise<Contact | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const now = clock();
  const parsed = validateInput(input, now);
  if (isRefusal(parsed)) return parsed;
  const { organizationId, env } = actor;
  const [indexed, number] = await Promise.all([recipients(), store.takeNumbers(organizationId, 1)]);
  const id = newId('contact');
  const { phone: _phone, cpf: _cpf, cnpj: _cnpj, nascimento: _nascimento, ...fields } = input;
  // Normalized as in a send, so that both get the same index; an address that no send accepts has none.
  const address = input.email === undefined ? undefined : parseAddress(input.email);
  const contact: Contact = {
    ...fields,
    ...(await sealDocuments(documents, { id, organizationId }, parsed.documents)),
    id,
    number,
    organizationId,
    env,
    phone: parsed.phone,
    phoneHash: indexed.blindIndex(organizationId, 'phone', parsed.phone),
    emailHash: address === undefined ? undefined : indexed.blindIndex(organizationId, 'email', address),
    attributes: input.attributes ?? {},
    tags: [...new Set(input.tags)],
    externalIds: input.externalIds && Object.keys(input.externalIds).length > 0 ? input.externalIds : undefined,
    optIn: initialOptIn(input.optIn, now),
    source: input.source ?? 'api',
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  return storeContact(store, contact, now);
};
