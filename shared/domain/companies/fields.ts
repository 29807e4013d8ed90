import { parseCnpj } from '../core/documents.ts';
import { type FieldError, type Refusal, refuse } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Patch } from '../core/patch.ts';
import { refuseField } from '../core/refuse-field.ts';
import { isSameValue } from '../core/same-value.ts';
import { attributeErrors } from './attributes.ts';
import { COMPANY_FIELDS, type CompanyFault, type CompanyFields, type StoredDefinitions } from './company.ts';

/** The parsed body of a new company; the CNPJ as the caller wrote it. */
export type NewCompany = CompanyFields;
/** The parsed body of a change (JSON Merge Patch); null clears. */
export type CompanyChange = Patch<
  CompanyFields,
  'cnpj' | 'segmento' | 'site' | 'endereco' | 'responsavelId' | 'contatoPrincipalId'
>;

const CNPJ_MESSAGE = 'must be a CNPJ with right check digits, numeric or alphanumeric, masked or not';
const NOT_ACTIVE = 'is not an active member of the organization';
const NO_CONTACT = 'is not a contact of the organization';

/** The fields that differ between two states of a company, in the order of the documentation. */
export const changedFields = (before: CompanyFields, after: CompanyFields): (keyof CompanyFields)[] =>
  COMPANY_FIELDS.filter((field) => !isSameValue(before[field], after[field]));

/** The fields of a company after a change: absent ones stay, null clears, and attributes are replaced as a whole. */
export const fieldsAfter = <F extends CompanyFields>(before: F, change: CompanyChange): F => {
  const sent = COMPANY_FIELDS.flatMap((field) =>
    change[field] === undefined ? [] : [[field, change[field] ?? undefined] as const],
  );
  const after: F = { ...before, ...Object.fromEntries(sent) };
  return typeof change.cnpj === 'string' ? { ...after, cnpj: parseCnpj(change.cnpj) ?? change.cnpj } : after;
};

/** The context of validation besides the fields: the attribute definitions, and the active accounts. */
export interface FieldContext {
  readonly definitions: StoredDefinitions;
  readonly active: ReadonlySet<Id<'account'>>;
}

/** The errors in the fields that a change sets. A new company is a change from nothing, whose attributes may be absent. */
export const fieldErrors = (
  before: CompanyFields | undefined,
  after: CompanyFields,
  { definitions, active }: FieldContext,
): { readonly broken: readonly FieldError[]; readonly links: readonly FieldError[] } => {
  const isNew = (field: keyof CompanyFields) => !isSameValue(before?.[field], after[field]);
  const isCnpjWrong = isNew('cnpj') && after.cnpj !== undefined && parseCnpj(after.cnpj) === undefined;
  const isAbsent = isNew('responsavelId') && after.responsavelId !== undefined && !active.has(after.responsavelId);
  return {
    broken: [
      ...(isCnpjWrong ? [{ path: 'cnpj', message: CNPJ_MESSAGE }] : []),
      ...(before === undefined || isNew('atributos') ? attributeErrors(definitions.defs, after.atributos) : []),
    ],
    links: isAbsent ? [{ path: 'responsavelId', message: NOT_ACTIVE }] : [],
  };
};

/** The refusal for these errors; undefined if there are none. Errors in links only are named as such. */
export const refusalOfFields = ({
  broken,
  links,
}: ReturnType<typeof fieldErrors>): Refusal<'VALIDATION_ERROR'> | undefined => {
  if (broken.length + links.length === 0) return undefined;
  if (broken.length > 0)
    return refuse('VALIDATION_ERROR', { detail: 'The company violates the contract.', errors: [...broken, ...links] });
  return refuse('VALIDATION_ERROR', {
    detail: 'The company cannot be linked to this person.',
    meta: { code: 'VINCULO_INVALIDO' },
    errors: links,
  });
};

/** The field of each fault, and its error. */
export const FAULTS: Readonly<Record<CompanyFault, FieldError>> = {
  cnpj_taken: { path: 'cnpj', message: 'is already registered for another company' },
  unknown_contact: { path: 'contatoPrincipalId', message: NO_CONTACT },
};

export const faultRefusal = (fault: CompanyFault): Refusal<'CONFLICT' | 'VALIDATION_ERROR'> => {
  const { path, message } = FAULTS[fault];
  if (fault === 'cnpj_taken')
    return refuse('CONFLICT', {
      detail: 'Another company of the organization has this CNPJ.',
      meta: { code: 'CNPJ_JA_CADASTRADO' },
      errors: [{ path, message }],
    });
  const refused = refuseField('The contact does not exist.', path, message);
  return refuse('VALIDATION_ERROR', { ...refused.details, meta: { code: 'VINCULO_INVALIDO' } });
};
