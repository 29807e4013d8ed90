import { auditEntry, type Caller } from '../audit/entry.ts';
import { isRefusal, type Refusal, refuse } from '../core/errors.ts';
import { type Id, newId } from '../core/ids.ts';
import { definedFields } from '../core/patch.ts';
import { CONFLICT, retryOnConflict } from '../core/retry-on-conflict.ts';
import {
  type Company,
  type CompanyFields,
  type CompanyPorts,
  type CountedCompany,
  NOTHING_COUNTED,
} from './company.ts';
import { createdEvent, deletedEvent, updatedEvent } from './events.ts';
import {
  type CompanyChange,
  changedFields,
  type FieldContext,
  faultRefusal,
  fieldErrors,
  fieldsAfter,
  type NewCompany,
  refusalOfFields,
} from './fields.ts';

type Org = Pick<Caller, 'organizationId'>;
const notFound = () => refuse('NOT_FOUND', 'There is no such company.');

/** The creator of a company: the session's person, else the key. */
export const creatorOf = ({ accountId, credentialId }: Caller): Company['createdById'] =>
  accountId ?? (credentialId as Id<'apiKey'>);

/** Reads what the rules of a change need, and nothing else. */
const contextOf = async (
  { accounts, definitions }: CompanyPorts,
  { organizationId }: Org,
  before: CompanyFields | undefined,
  after: CompanyFields,
): Promise<FieldContext> => {
  const changed = changedFields(before ?? { nome: '' }, after);
  const newOwner = changed.includes('responsavelId') && after.responsavelId !== undefined ? [after.responsavelId] : [];
  const readsAttributes = before === undefined || changed.includes('atributos');
  const [active, known] = await Promise.all([
    newOwner.length > 0 ? accounts.activeOf(organizationId, newOwner) : new Set<Id<'account'>>(),
    readsAttributes ? definitions.read(organizationId) : UNREAD,
  ]);
  return { active, definitions: known };
};
/** For a change that sets no attributes. */
const UNREAD = { defs: [], version: 0 };

/** The version of the definitions that the fields were validated against, or the refusal. */
const checked = async (
  ports: CompanyPorts,
  owner: Org,
  before: CompanyFields | undefined,
  after: CompanyFields,
): Promise<number | Refusal<'VALIDATION_ERROR'>> => {
  const context = await contextOf(ports, owner, before, after);
  return refusalOfFields(fieldErrors(before, after, context)) ?? context.definitions.version;
};

/** A new company with these fields. */
export const newCompany = (caller: Caller, fields: CompanyFields, id: Id<'company'>, now: number): Company => ({
  ...definedFields(fields),
  nome: fields.nome,
  id,
  organizationId: caller.organizationId,
  env: caller.env,
  createdById: creatorOf(caller),
  createdAt: now,
  updatedAt: now,
  version: 1,
});

/**
 * Creates a company and raises company.created. Of two concurrent ones with the same CNPJ, one is stored (docs/spec/companies.md#creating).
 */
export const createCompany = async (
  ports: CompanyPorts,
  caller: Caller,
  body: NewCompany,
): Promise<CountedCompany | Refusal<'CONFLICT' | 'VALIDATION_ERROR'>> => {
  const fields = fieldsAfter<CompanyFields>({ nome: body.nome }, body);
  const now = ports.clock();
  const company = newCompany(caller, fields, newId('company'), now);
  const event = createdEvent(company, now);
  return retryOnConflict('The company', async () => {
    const definitions = await checked(ports, caller, undefined, fields);
    if (isRefusal(definitions)) return definitions;
    const outcome = await ports.store.create(company, event, definitions);
    if (outcome === 'conflict') return CONFLICT;
    return outcome === 'saved' ? { company, counts: NOTHING_COUNTED } : faultRefusal(outcome);
  });
};

/** A company of the caller's organization with its counts; 404 for another organization's, as if it didn't exist. */
export const findCompany = async (
  { store }: Pick<CompanyPorts, 'store'>,
  { organizationId }: Org,
  id: Id<'company'>,
): Promise<CountedCompany | Refusal<'NOT_FOUND'>> => (await store.read(organizationId, id)) ?? notFound();

/** Changes a company (JSON Merge Patch), and raises company.updated if anything differs (docs/spec/companies.md#changing). */
export const changeCompany = async (
  ports: CompanyPorts,
  caller: Caller,
  id: Id<'company'>,
  change: CompanyChange,
): Promise<CountedCompany | Refusal<'CONFLICT' | 'NOT_FOUND' | 'VALIDATION_ERROR'>> =>
  retryOnConflict('The company', async () => {
    const found = await findCompany(ports, caller, id);
    if (isRefusal(found)) return found;
    const { company: before } = found;
    const fields = fieldsAfter(before, change);
    const changed = changedFields(before, fields);
    if (changed.length === 0) return found;
    const definitions = await checked(ports, caller, before, fields);
    if (isRefusal(definitions)) return definitions;
    const updatedAt = Math.max(ports.clock(), before.updatedAt + 1);
    const after = { ...fields, version: before.version + 1, updatedAt };
    const outcome = await ports.store.change(before, after, updatedEvent(after, changed, updatedAt), definitions);
    if (outcome === 'conflict') return CONFLICT;
    return outcome === 'saved' ? { ...found, company: after } : faultRefusal(outcome);
  });

/**
 * Deletes a company: once this returns, neither reads nor its contacts and cards show it. The audit entry has their exact counts, and
 * neither name, CNPJ nor address (docs/spec/companies.md#deleting).
 */
export const deleteCompany = async (
  { clock, store }: Pick<CompanyPorts, 'clock' | 'store'>,
  caller: Caller,
  id: Id<'company'>,
): Promise<undefined | Refusal<'NOT_FOUND'>> => {
  const at = clock();
  return retryOnConflict('The company', async (attempt) => {
    const outcome = await store.remove(caller.organizationId, id, at, (counts) => ({
      entry: auditEntry(caller, {
        action: 'company.deleted',
        object: id,
        at,
        details: { unlinked: { contacts: counts.contacts, cards: counts.cards } },
      }),
      event: deletedEvent({ id, ...caller }, counts, at),
    }));
    if (outcome === 'conflict') return CONFLICT;
    // Gone on a retry: the response of an earlier attempt was lost, or somebody else deleted it.
    return outcome === 'absent' && attempt === 0 ? notFound() : undefined;
  });
};
