import type { Actor } from '../actor.ts';
import { parseBirthDate, parseCnpj, parseCpf } from '../documents.ts';
import { parseAddress } from '../email/address.ts';
import { isRefusal, type Refusal, refuse } from '../errors.ts';
import { newId } from '../ids.ts';
import type { ContactAttributes } from '../json-values.ts';
import { parsePhone } from '../phone.ts';
import type { CompanyRole, Contact, ContactSource, ExternalIds, OptIn, OptInStatus } from './contact.ts';
import { type DocumentName, sealDocuments } from './documents.ts';
import { contactEvent } from './events.ts';
import type { ContactPorts, CreateOutcome } from './ports.ts';

/** The parsed body of a new contact; documents as the caller wrote them. */
export interface NewContact {
  readonly phone: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  readonly avatarUrl?: string | undefined;
  readonly attributes?: ContactAttributes | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly externalId?: string | undefined;
  readonly externalIds?: ExternalIds | undefined;
  readonly companyId?: string | undefined;
  readonly papelNaEmpresa?: CompanyRole | undefined;
  readonly cpf?: string | undefined;
  readonly cnpj?: string | undefined;
  readonly nascimento?: string | undefined;
  readonly optIn?:
    | Readonly<{
        status: OptInStatus;
        source?: string | undefined;
        ip?: string | undefined;
        userAgent?: string | undefined;
      }>
    | undefined;
  readonly source?: ContactSource | undefined;
}

/** The most that attributes may take as JSON, in bytes: a row of the table holds 400 KB of everything. */
export const ATTRIBUTES_BYTES = 200 * 1024;

interface Parsed {
  readonly phone: string;
  readonly documents: Readonly<Partial<Record<DocumentName, string>>>;
}
type Parser = (value: string, now: number) => string | undefined;
const DOCUMENT_RULES: readonly (readonly [DocumentName, Parser, string])[] = [
  ['cpf', parseCpf, 'must be a CPF with right check digits, masked or not'],
  ['cnpj', parseCnpj, 'must be a CNPJ with right check digits, masked or not'],
  ['nascimento', parseBirthDate, 'must be a day of the calendar as YYYY-MM-DD, from 1900 to today'],
];

/** What the shape of a body cannot tell; every fault at once. */
const parseWish = (wish: NewContact, now: number): Parsed | Refusal<'VALIDATION_ERROR'> => {
  const errors: { path: string; message: string }[] = [];
  const phone = parsePhone(wish.phone);
  if (!phone) errors.push({ path: 'phone', message: 'must be an existing number in E.164' });
  const documents: Partial<Record<DocumentName, string>> = {};
  for (const [name, parse, message] of DOCUMENT_RULES) {
    const given = wish[name];
    if (given === undefined) continue;
    const parsed = parse(given, now);
    if (parsed === undefined) errors.push({ path: name, message });
    else documents[name] = parsed;
  }
  if (wish.attributes && Buffer.byteLength(JSON.stringify(wish.attributes)) > ATTRIBUTES_BYTES)
    errors.push({ path: 'attributes', message: `must take at most ${ATTRIBUTES_BYTES} bytes as JSON` });
  if (!phone || errors.length > 0)
    return refuse('VALIDATION_ERROR', { detail: 'The contact breaks the contract.', errors });
  return { phone, documents };
};

/** Consent as it begins: its moment is now, whichever way it went. */
const firstOptIn = (optIn: NewContact['optIn'], now: number): OptIn => {
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
 * Stores a contact with its event. A phone that asked to be sent nothing before it was anybody's makes its contact one that opted out,
 * whatever the caller says: only an opt-in of its own lifts that, as it is with an address that unsubscribed.
 */
const stored = async (
  store: ContactPorts['store'],
  contact: Contact,
  now: number,
): Promise<Contact | ReturnType<typeof refusalOf>> => {
  const outcome = await store.create(contact, contactEvent('contact.created', contact, now));
  if (outcome.kind === 'created') return contact;
  if (outcome.kind !== 'phone_opted_out') return refusalOf(outcome);
  const { revokedAt, revokedReason } = outcome;
  return stored(store, { ...contact, optIn: { ...contact.optIn, status: 'denied', revokedAt, revokedReason } }, now);
};

/**
 * Creates a contact in the caller's environment, with contact.created. Its documents are sealed before they reach the store. 409
 * names the field that another contact has already; of two that arrive together one is stored.
 */
export const createContact = async (
  { clock, store, vault }: ContactPorts,
  actor: Pick<Actor, 'env' | 'organizationId'>,
  wish: NewContact,
): Promise<Contact | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> => {
  const now = clock();
  const parsed = parseWish(wish, now);
  if (isRefusal(parsed)) return parsed;
  const { organizationId, env } = actor;
  const keeper = await vault();
  const id = newId('contact');
  const { phone: _phone, cpf: _cpf, cnpj: _cnpj, nascimento: _nascimento, ...asGiven } = wish;
  // As a send would write it, so that both have one index; an address that no send takes has none.
  const address = wish.email === undefined ? undefined : parseAddress(wish.email);
  const contact: Contact = {
    ...asGiven,
    ...sealDocuments(keeper, { id, organizationId }, parsed.documents),
    id,
    organizationId,
    env,
    phone: parsed.phone,
    phoneHash: keeper.blindIndex(organizationId, 'phone', parsed.phone),
    emailHash: address === undefined ? undefined : keeper.blindIndex(organizationId, 'email', address),
    attributes: wish.attributes ?? {},
    tags: [...new Set(wish.tags)],
    externalIds: wish.externalIds && Object.keys(wish.externalIds).length > 0 ? wish.externalIds : undefined,
    optIn: firstOptIn(wish.optIn, now),
    source: wish.source ?? 'api',
    createdAt: now,
    updatedAt: now,
    version: 1,
  };
  return stored(store, contact, now);
};
