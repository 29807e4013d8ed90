import { parseBirthDate, parseCnpj, parseCpf } from '../core/documents.ts';
import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import { newId } from '../core/ids.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import { definedFields, type Patch } from '../core/patch.ts';
import { parsePhone } from '../core/phone.ts';
import { isSameValue } from '../core/same-value.ts';
import type { Contact, DebtorGroup } from './contact.ts';
import { DOCUMENT_NAMES, type DocumentName } from './documents.ts';
import type { ContactFault } from './ports.ts';

/** Max. size of the attributes as JSON, in bytes: a DynamoDB item holds 400 KB in all. */
export const MAX_ATTRIBUTES_BYTES = 200 * 1024;
/** Max. number of attributes, including those that a change leaves unchanged. */
export const MAX_ATTRIBUTES = 100;
export const MAX_TAGS = 100;
/** Max. characters of a tag. */
export const MAX_TAG_LENGTH = 64;
export const MAX_DEBTS = 50;

/** A debt as a caller writes it: without an id it is a new one, or matches an equal existing one. */
export type GivenDebtorGroup = Omit<DebtorGroup, 'id' | 'phones'> & Patch<Pick<DebtorGroup, 'id' | 'phones'>>;

/** The fields of a contact that a schema cannot check; null clears. */
export interface GivenFields extends Partial<Record<DocumentName, string | null | undefined>> {
  readonly phone?: string | undefined;
  /** As they will be stored, after merging a change. */
  readonly attributes?: ContactAttributes | undefined;
  readonly debtorGroups?: readonly GivenDebtorGroup[] | null | undefined;
}
export type Documents = Readonly<Partial<Record<DocumentName, string | null>>>;
export interface CheckedFields {
  readonly phone?: string | undefined;
  readonly documents: Documents;
}

type Parser = (value: string, now: number) => string | undefined;
const DOCUMENT_RULES: Readonly<Record<DocumentName, readonly [Parser, string]>> = {
  cpf: [parseCpf, 'must be a CPF with right check digits, masked or not'],
  cnpj: [parseCnpj, 'must be a CNPJ with right check digits, masked or not'],
  nascimento: [parseBirthDate, 'must be a day of the calendar as YYYY-MM-DD, from 1900 to today'],
};

const PHONE_MESSAGE = 'must be an existing number in E.164';

const checkDocuments = (given: GivenFields, now: number, errors: FieldError[]): Documents => {
  const documents: Partial<Record<DocumentName, string | null>> = {};
  for (const name of DOCUMENT_NAMES) {
    const text = given[name];
    if (text === undefined) continue;
    const [parse, message] = DOCUMENT_RULES[name];
    const parsed = text === null ? null : parse(text, now);
    if (parsed === undefined) errors.push({ path: name, message });
    else documents[name] = parsed;
  }
  return documents;
};

const attributeErrors = (attributes: ContactAttributes | undefined): FieldError[] => {
  const path = 'attributes';
  if (attributes && Object.keys(attributes).length > MAX_ATTRIBUTES)
    return [{ path, message: `must have at most ${MAX_ATTRIBUTES} keys` }];
  if (attributes && Buffer.byteLength(JSON.stringify(attributes)) > MAX_ATTRIBUTES_BYTES)
    return [{ path, message: `must take at most ${MAX_ATTRIBUTES_BYTES} bytes as JSON` }];
  return [];
};

const debtErrors = (groups: GivenFields['debtorGroups']): FieldError[] => {
  const ids = new Set<string>();
  return (groups ?? []).flatMap(({ id, phones = [] }, at) => {
    const wrong = phones.flatMap((phone, place) =>
      parsePhone(phone) ? [] : [{ path: `debtorGroups.${at}.phones.${place}`, message: PHONE_MESSAGE }],
    );
    const isRepeated = id !== undefined && ids.has(id);
    if (id !== undefined) ids.add(id);
    return isRepeated ? [...wrong, { path: `debtorGroups.${at}.id`, message: 'is given twice' }] : wrong;
  });
};

/** Checks what a body's schema cannot; reports all errors at once. `now` in ms. */
export const checkFields = (given: GivenFields, now: number): CheckedFields | Refusal<'VALIDATION_ERROR'> => {
  const errors: FieldError[] = [];
  const phone = given.phone === undefined ? undefined : parsePhone(given.phone);
  if (given.phone !== undefined && !phone) errors.push({ path: 'phone', message: PHONE_MESSAGE });
  const documents = checkDocuments(given, now, errors);
  errors.push(...attributeErrors(given.attributes), ...debtErrors(given.debtorGroups));
  if (errors.length > 0) return refuse('VALIDATION_ERROR', { detail: 'The contact violates the contract.', errors });
  return { phone, documents };
};

const withoutId = ({ id: _, ...group }: GivenDebtorGroup) => definedFields({ phones: [], ...group });

/** The debts to store; one given without an id that equals an existing one keeps its id, so that a repeat changes nothing. */
export const debtorGroupsOf = (
  given: readonly GivenDebtorGroup[],
  before: readonly DebtorGroup[] = [],
): readonly DebtorGroup[] | undefined => {
  const named = new Set(given.map(({ id }) => id));
  const free = before.filter(({ id }) => !named.has(id));
  const groups = given.map((group): DebtorGroup => {
    const at = free.findIndex((known) => isSameValue(withoutId(known), withoutId(group)));
    const id = group.id ?? free.splice(at, at < 0 ? 0 : 1)[0]?.id ?? newId('debtorGroup');
    return { ...definedFields(group), company: group.company, id, phones: group.phones ?? [] };
  });
  return groups.length > 0 ? groups : undefined;
};

/** A set of external ids to store; undefined if empty. */
export const externalIdsOf = (ids: Contact['externalIds']): Contact['externalIds'] => {
  const defined = definedFields(ids ?? {});
  return Object.keys(defined).length > 0 ? defined : undefined;
};

/** The refusal for a conflict with another contact or a missing company. */
export const faultRefusal = (fault: ContactFault): Refusal<'CONFLICT' | 'VALIDATION_ERROR'> => {
  if (fault.kind === 'unknown_company')
    return refuse('VALIDATION_ERROR', {
      detail: 'The company does not exist.',
      meta: { code: 'VINCULO_INVALIDO' },
      errors: [{ path: 'companyId', message: 'is not a company of the organization' }],
    });
  const { field, contactId } = fault;
  const code = field === 'phone' ? 'TELEFONE_JA_CADASTRADO' : 'EXTERNAL_ID_JA_CADASTRADO';
  return refuse('CONFLICT', { detail: `Another contact has this ${field}.`, meta: { code, field, contactId } });
};
