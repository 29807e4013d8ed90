import { createActivity, deleteActivity } from '../../shared/domain/activities/activities.ts';
import { changeCompany, createCompany, deleteCompany, findCompany } from '../../shared/domain/companies/companies.ts';
import type { CountedCompany } from '../../shared/domain/companies/company.ts';
import type { CompanyChange, NewCompany } from '../../shared/domain/companies/fields.ts';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import { mergeContacts } from '../../shared/domain/contacts/merge.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { validCnpj } from '../support/companies.ts';
import type { Plain } from './plain.ts';
import type { Crm } from './stage.ts';
import { bit, checked, type Draw, linkOf, pickOf, type Scene, type Step } from './steps.ts';

/** Names that persons sort differently than bytes do, some of them the beginnings of others. */
export const NAMES = [
  'Água Azul',
  'agua',
  'Ágil',
  'ABC',
  'abc ltda',
  'ABC-1',
  'Éden',
  'éden & filhos',
  'Zebra',
  'São João',
  'sao joao',
] as const;
const CNPJS = Array.from({ length: 6 }, (_, at) => validCnpj(at + 1));

const isTaken = ({ companies }: Plain, cnpj: string | null | undefined, by?: Id<'company'>): boolean =>
  typeof cnpj === 'string' && [...companies.values()].some((company) => company.cnpj === cnpj && company.id !== by);
const isUnknown = ({ contacts }: Plain, id: Id<'contact'> | null | undefined): boolean =>
  typeof id === 'string' && !contacts.has(id);

export const companyBody = ({ plain, accounts, next }: Scene, { b, c, d }: Draw): NewCompany => ({
  nome: pickOf(NAMES, d) as string,
  segmento: `s${next()}`,
  cnpj: bit(c, 0) ? pickOf(CNPJS, d >> 4) : undefined,
  responsavelId: bit(c, 1) ? pickOf(accounts, d >> 7) : undefined,
  contatoPrincipalId: linkOf(plain.contacts.keys(), plain.gone.contact, b),
});

/** All companies as they are stored now. */
const stored = async ({ actor }: Scene, { companies }: Crm): Promise<readonly CountedCompany[]> =>
  companies.source.read(actor.organizationId, await companies.directory.find(actor.organizationId, {}));
/** The company with this segment, which the history gives to one only. */
export const ofSegment = async (scene: Scene, crm: Crm, segmento: string | undefined) =>
  (await stored(scene, crm)).find(({ company }) => company.segmento === segmento);

const create = (scene: Scene, draw: Draw): Step<CountedCompany> => {
  const { plain, actor } = scene;
  const body = companyBody(scene, draw);
  return {
    name: `create company ${JSON.stringify(body)}`,
    refusals: checked(
      isTaken(plain, body.cnpj) && 'CNPJ_JA_CADASTRADO',
      isUnknown(plain, body.contatoPrincipalId) && 'VINCULO_INVALIDO',
    ),
    run: (crm) => createCompany(crm.companies.ports, actor, body) as Promise<CountedCompany>,
    commit: ({ company: { id } }) => void plain.companies.set(id, { id, ...body }),
    witness: async (crm) => (await ofSegment(scene, crm, body.segmento))?.company.id,
    found: async (crm) => (await ofSegment(scene, crm, body.segmento)) as CountedCompany,
    touches: {},
  };
};

const chosenOf = <K extends 'company' | 'contact'>(
  there: Map<Id<K>, unknown>,
  gone: readonly Id<K>[],
  number: number,
) => (number % 31 === 30 ? pickOf(gone.slice(-3), number >> 5) : pickOf(there.keys(), number >> 5));

const change = (scene: Scene, draw: Draw): Step | undefined => {
  const { plain, actor } = scene;
  const id = chosenOf(plain.companies, plain.gone.company, draw.a);
  if (!id) return undefined;
  const { nome, cnpj, responsavelId, contatoPrincipalId } = companyBody(scene, draw);
  const patch: CompanyChange = {
    ...(bit(draw.c, 2) ? { nome } : {}),
    ...(bit(draw.c, 3) ? { cnpj: cnpj ?? null } : {}),
    ...(bit(draw.c, 4) ? { responsavelId: responsavelId ?? null } : {}),
    ...(bit(draw.c, 5) ? { contatoPrincipalId: contatoPrincipalId ?? null } : {}),
  };
  const company = plain.companies.get(id);
  return {
    name: `change company ${id} ${JSON.stringify(patch)}`,
    refusals: company
      ? checked(
          isTaken(plain, patch.cnpj, id) && 'CNPJ_JA_CADASTRADO',
          isUnknown(plain, patch.contatoPrincipalId) && 'VINCULO_INVALIDO',
        )
      : ['NOT_FOUND'],
    run: (crm) => changeCompany(crm.companies.ports, actor, id, patch),
    commit: () => {
      const after = Object.entries(patch).map(([field, value]) => [field, value ?? undefined]);
      if (company) Object.assign(company, Object.fromEntries(after));
    },
    witness: versionOf(scene, id),
    found: async () => undefined,
    touches: { companies: [id] },
  };
};
const versionOf =
  ({ actor }: Scene, id: Id<'company'>) =>
  async (crm: Crm) => {
    const found = await findCompany(crm.companies.ports, actor, id);
    return isRefusal(found) ? undefined : found.company.version;
  };

const remove = (scene: Scene, draw: Draw): Step | undefined => {
  const { plain, actor } = scene;
  const id = chosenOf(plain.companies, plain.gone.company, draw.a);
  if (!id) return undefined;
  const company = plain.companies.get(id);
  return {
    name: `delete company ${id}`,
    refusals: checked(!company && 'NOT_FOUND'),
    run: (crm) => deleteCompany(crm.companies.ports, actor, id),
    commit: () => company && plain.removeCompany(company),
    witness: versionOf(scene, id),
    found: async () => undefined,
    touches: { companies: [id] },
  };
};

const contactVersion = (id: Id<'contact'>) => async (crm: Crm) => (await crm.contacts.store.read(id))?.version;

const createPerson = (scene: Scene, { b, c }: Draw): Step<{ readonly id: Id<'contact'> }> => {
  const { plain, actor, next } = scene;
  const phone = `+55119${String(80_000_000 + next())}`;
  const companyId = linkOf(plain.companies.keys(), plain.gone.company, b);
  const body = { phone, companyId, ...(companyId && bit(c, 0) ? { papelNaEmpresa: 'decisor' as const } : {}) };
  return {
    name: `create contact ${JSON.stringify(body)}`,
    refusals: checked(companyId && !plain.companies.has(companyId) && 'VINCULO_INVALIDO'),
    run: (crm) => createContact(crm.contacts, actor, body) as Promise<{ id: Id<'contact'> }>,
    commit: ({ id }) => void plain.contacts.set(id, { id, phone, companyId }),
    witness: async (crm) => (await ofPhone(scene, crm, phone))?.id,
    found: async (crm) => (await ofPhone(scene, crm, phone)) as { id: Id<'contact'> },
    touches: { companies: [companyId] },
  };
};
/** The contact with a phone; a second creation returns it. */
const ofPhone = async ({ actor }: Scene, crm: Crm, phone: string): Promise<{ id: Id<'contact'> } | undefined> => {
  const hash = (await crm.contacts.recipients()).blindIndex(actor.organizationId, 'phone', phone);
  const row = await crm.table.get(KEYS.phone(actor.organizationId, hash));
  return row && { id: row.contactId as Id<'contact'> };
};

const changePerson = (scene: Scene, { a, b, c }: Draw): Step | undefined => {
  const { plain, actor, next } = scene;
  const id = chosenOf(plain.contacts, plain.gone.contact, a);
  if (!id) return undefined;
  const contact = plain.contacts.get(id);
  const companyId = linkOf(plain.companies.keys(), plain.gone.company, b);
  const patch = {
    ...(bit(c, 0) ? { name: `Ana ${next()}` } : {}),
    ...(bit(c, 1) ? { companyId: companyId ?? null } : {}),
  };
  return {
    name: `change contact ${id} ${JSON.stringify(patch)}`,
    refusals: contact
      ? checked(patch.companyId ? !plain.companies.has(patch.companyId) && 'VINCULO_INVALIDO' : undefined)
      : ['NOT_FOUND'],
    run: (crm) => changeContact(crm.contacts, actor, id, patch),
    commit: () => {
      if (contact && patch.companyId !== undefined) contact.companyId = patch.companyId ?? undefined;
      if (contact && patch.name !== undefined) contact.name = patch.name;
    },
    witness: contactVersion(id),
    found: async () => undefined,
    touches: { companies: [contact?.companyId, companyId] },
  };
};

const removePerson = (scene: Scene, { a }: Draw): Step | undefined => {
  const { plain, actor } = scene;
  // Soon after a merge: what named the duplicate names the contact, though no worker moved it yet.
  const heir = a % 2 === 0 ? [...plain.merged.values()].at(-1) : undefined;
  const id = heir && plain.contacts.has(heir) ? heir : chosenOf(plain.contacts, plain.gone.contact, a >> 1);
  if (!id) return undefined;
  const contact = plain.contacts.get(id);
  return {
    name: `delete contact ${id}`,
    refusals: checked(!contact && 'NOT_FOUND'),
    run: (crm) => deleteContact(crm.deletingContacts, actor, id),
    commit: () => contact && plain.removeContact(contact),
    witness: contactVersion(id),
    found: async () => undefined,
    touches: { companies: [contact?.companyId] },
  };
};

const mergePeople = (scene: Scene, { a, b }: Draw): Step | undefined => {
  const { plain, actor } = scene;
  const id = chosenOf(plain.contacts, plain.gone.contact, a);
  const other = chosenOf(plain.contacts, plain.gone.contact, b);
  if (!id || !other) return undefined;
  const [target, duplicate] = [plain.contacts.get(id), plain.contacts.get(other)];
  const isRepeat = target && plain.merged.get(other) === id;
  return {
    name: `merge contact ${other} into ${id}`,
    refusals: checked(id === other && 'VALIDATION_ERROR', (!target || (!duplicate && !isRepeat)) && 'NOT_FOUND'),
    run: (crm) => mergeContacts(crm.merging, actor, id, other),
    commit: () => {
      if (!target || !duplicate) return;
      target.companyId ??= duplicate.companyId;
      target.name ??= duplicate.name;
      plain.removeContact(duplicate, id);
      plain.merged.set(other, id);
    },
    witness: contactVersion(other),
    found: async () => undefined,
    touches: { companies: [target?.companyId, duplicate?.companyId] },
  };
};

const createTask = (scene: Scene, { a, b, c }: Draw): Step<{ readonly id: Id<'activity'> }> => {
  const { plain, actor, next } = scene;
  const links = {
    cardId: linkOf(plain.cards.keys(), plain.gone.card, a),
    contactId: linkOf(plain.contacts.keys(), plain.gone.contact, b),
    companyId: linkOf(plain.companies.keys(), plain.gone.company, c),
  };
  const { cardId, contactId, companyId } = links;
  const isUnknownLink =
    (cardId && !plain.cards.has(cardId)) ||
    isUnknown(plain, contactId) ||
    (companyId && !plain.companies.has(companyId));
  const titulo = `Tarefa ${next()}`;
  const page = { skip: 0, limit: 10_000 };
  const found = async ({ activities }: Crm) =>
    (await activities.store.page(actor.organizationId, {}, page)).items.find(({ title }) => title === titulo);
  return {
    name: `create activity ${JSON.stringify(links)}`,
    refusals: checked(isUnknownLink ? 'VINCULO_INVALIDO' : undefined),
    run: (crm) =>
      createActivity(crm.activities, actor, {
        tipo: 'tarefa',
        titulo,
        cardId,
        contatoId: contactId,
        empresaId: companyId,
      }) as Promise<{ id: Id<'activity'> }>,
    commit: ({ id }) => void plain.activities.set(id, { id, titulo, ...links }),
    witness: async (crm) => (await found(crm))?.id,
    found: async (crm) => (await found(crm)) as { id: Id<'activity'> },
    touches: {},
  };
};
const removeTask = (scene: Scene, { a }: Draw): Step | undefined => {
  const { plain, actor } = scene;
  const id = pickOf(plain.activities.keys(), a);
  if (!id) return undefined;
  return {
    name: `delete activity ${id}`,
    refusals: [],
    run: (crm) => deleteActivity(crm.activities, actor, id),
    commit: () => void plain.activities.delete(id),
    witness: async (crm) => (await crm.activities.store.read(actor.organizationId, id))?.id,
    found: async () => undefined,
    touches: {},
  };
};

export const COMPANY_STEPS = { create, change, remove };
export const PERSON_STEPS = { create: createPerson, change: changePerson, remove: removePerson, merge: mergePeople };
export const TASK_STEPS = { create: createTask, remove: removeTask };
