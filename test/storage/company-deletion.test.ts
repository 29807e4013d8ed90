import { describe, expect, test } from 'vitest';
import { createCompany, deleteCompany, findCompany } from '../../shared/domain/companies/companies.ts';
import type { Company } from '../../shared/domain/companies/company.ts';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import { createContact } from '../../shared/domain/contacts/create.ts';
import { deleteContact } from '../../shared/domain/contacts/erase.ts';
import { mergeContacts } from '../../shared/domain/contacts/merge.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { CHECK_AGAIN_MS, type ClearLinksPorts, clearLinks } from '../../shared/domain/core/clear-links.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { DomainEvent } from '../../shared/domain/events/event.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { replaceMainContact, unlinkContacts } from '../../shared/storage/companies/clear-links.ts';
import { erasureStore } from '../../shared/storage/contacts/erasures.ts';
import { mergeStore } from '../../shared/storage/contacts/merges.ts';
import { companyCountWrites } from '../../shared/storage/crm/company-counts.ts';
import { expireTombstone, readTombstone, rescheduleTombstone } from '../../shared/storage/crm/tombstones.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf } from '../support/companies.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { takeEvents } from '../support/takers.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const kit = companiesOf(world);
const { ports, contacts } = kit;

const aCompany = async (actor: Actor, nome = 'Padaria') =>
  accepted(await createCompany(ports, actor, { nome })).company;
const contactsOf = async (actor: Actor, companyId: Id<'company'>, many: number) => {
  const made: Id<'contact'>[] = [];
  for (let at = 0; at < many; at++) made.push((await kit.contact(actor, { companyId, papelNaEmpresa: 'decisor' })).id);
  return made;
};
const countsOf = async (actor: Actor, id: Id<'company'>) => accepted(await findCompany(ports, actor, id)).counts;
const stored = (ids: readonly Id<'contact'>[]) => world.table.getMany(ids.map(KEYS.contact), { consistent: true });

const companiesListed = async (actor: Actor) =>
  (await kit.source.read(actor.organizationId, await kit.directory.find(actor.organizationId, {}))).map(
    ({ company }) => company,
  );

/** The work on a tombstone, as a worker has it. */
const clearing = (table: Table): ClearLinksPorts => ({
  clock: () => world.now,
  read: (organizationId, id) => readTombstone(table, organizationId, id),
  sweeps: [unlinkContacts(table, () => world.now)],
  reschedule: (gone, at, isCleared) => rescheduleTombstone(table, gone, at, isCleared),
  expire: (gone, now) => expireTombstone(table, gone, now),
  enqueue: () => {},
});
/** Works on a deleted company until its work is over. */
const clearAll = async (table: Table, organizationId: Id<'organization'>, id: Id<'company'>): Promise<void> => {
  const row = await world.table.get(KEYS.tombstone(organizationId, id));
  if (row?.duePk === undefined) return;
  await clearLinks(clearing(table), organizationId, id);
  const after = await world.table.get(KEYS.tombstone(organizationId, id));
  if (typeof after?.dueAt === 'number' && after.dueAt > world.now) world.now = after.dueAt;
  await clearAll(table, organizationId, id);
};

describe('the counts of contacts', () => {
  test('follow every contact that comes, changes, leaves and is deleted', async () => {
    const actor = await world.organization();
    const [one, other] = [await aCompany(actor), await aCompany(actor, 'Outra')];
    const [first, second] = await contactsOf(actor, one.id, 3);
    if (!first || !second) throw new Error('none');
    accepted(await changeContact(contacts, actor, first, { companyId: other.id }));
    accepted(await changeContact(contacts, actor, second, { companyId: null }));
    accepted(await changeContact(contacts, actor, first, { name: 'Ana' }));
    expect((await countsOf(actor, one.id)).contacts).toBe(1);
    expect((await countsOf(actor, other.id)).contacts).toBe(1);
  });

  test('are exact when 20 contacts join and leave concurrently', async () => {
    const actor = await world.organization();
    const company = await aCompany(actor);
    const made = await contactsOf(actor, company.id, 20);
    await Promise.all(
      made.map((id, at) => changeContact(contacts, actor, id, at % 2 ? { companyId: null } : { name: 'A' })),
    );
    expect((await countsOf(actor, company.id)).contacts).toBe(10);
  });
});

describe('a deletion', () => {
  test('reports exactly how many contacts it leaves, despite concurrent joins', async () => {
    const actor = await world.organization();
    const company = await aCompany(actor);
    const joining = Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        createContact(contacts, actor, { phone: `+551195${String(1_000_000 + at)}`, companyId: company.id }),
      ),
    );
    const deleted = await deleteCompany(ports, actor, company.id);
    const outcomes = await joining;
    expect(deleted).toBeUndefined();
    const joined = outcomes.filter((outcome) => !isRefusal(outcome)).length;
    for (const outcome of outcomes.filter((each) => isRefusal(each)))
      expect(outcome).toMatchObject({ details: { meta: { code: 'VINCULO_INVALIDO' } } });
    const [entry] = await kit.auditOf(actor, 'company.deleted');
    expect(entry?.details).toEqual({ unlinked: { contacts: joined, cards: 0 } });
    const [event] = (await world.events(kit.raised)).filter(({ data }) => data.companyId === company.id).slice(-1);
    expect(event).toMatchObject({
      type: 'company.deleted',
      data: { contatosDesvinculados: joined, cartoesDesvinculados: 0 },
    });
  });

  test('counts the cards of the company as well', async () => {
    const actor = await world.organization();
    const company = await aCompany(actor);
    const card = { organizationId: actor.organizationId, companyId: company.id, counts: { cards: 1 } };
    const links = [{ after: { ...card, objectId: `crd_${'a'.repeat(21)}` as Id<'card'> } }];
    await world.table.transact(companyCountWrites(links).map(({ write }) => write));
    await deleteCompany(ports, actor, company.id);
    expect((await kit.auditOf(actor, 'company.deleted'))[0]?.details).toEqual({ unlinked: { contacts: 0, cards: 1 } });
  });

  test('clears 130 links in the background, through a crash before any of its calls', {
    timeout: 180_000,
  }, async () => {
    const actor = await world.organization(1, false);
    const company = await aCompany(actor);
    const made = await contactsOf(actor, company.id, 130);
    await deleteCompany(ports, actor, company.id);
    for (const id of [made[0], made[129]] as Id<'contact'>[]) {
      const read = await contacts.store.read(id);
      expect([read?.companyId, read?.papelNaEmpresa]).toEqual([undefined, undefined]);
    }
    const crashes = await crashEverywhere(world.table, (crashing) =>
      clearAll(crashing, actor.organizationId, company.id),
    );
    expect(crashes).toBeGreaterThan(5);
    for (const row of await stored(made)) {
      expect(row).not.toHaveProperty('companyId');
      expect(row).not.toHaveProperty('papelNaEmpresa');
      expect(row).not.toHaveProperty('gsi3pk');
    }
    const tombstone = await world.table.get(KEYS.tombstone(actor.organizationId, company.id));
    expect(tombstone).toHaveProperty('ttl');
    expect(tombstone).not.toHaveProperty('duePk');
  });

  test('checks again after the lag of the indexes before its work is complete', async () => {
    const actor = await world.organization();
    const company = await aCompany(actor);
    await contactsOf(actor, company.id, 1);
    await deleteCompany(ports, actor, company.id);
    await clearLinks(clearing(world.table), actor.organizationId, company.id);
    const row = await world.table.get(KEYS.tombstone(actor.organizationId, company.id));
    expect(row?.dueAt).toBe(world.now + CHECK_AGAIN_MS);
  });

  test('holds no change of a contact back that still names the company', async () => {
    const actor = await world.organization();
    const [company, other] = [await aCompany(actor), await aCompany(actor, 'Outra')];
    const made = await contactsOf(actor, company.id, 3);
    const [moved, named, cleared] = made as [Id<'contact'>, Id<'contact'>, Id<'contact'>];
    await deleteCompany(ports, actor, company.id);
    expect(accepted(await changeContact(contacts, actor, moved, { companyId: other.id })).companyId).toBe(other.id);
    const after = accepted(await changeContact(contacts, actor, named, { name: 'Bia' }));
    expect([after.companyId, after.papelNaEmpresa]).toEqual([undefined, undefined]);
    accepted(await changeContact(contacts, actor, cleared, { companyId: null }));
    const read = await Promise.all(made.map((id) => contacts.store.read(id)));
    expect(read.map((contact) => contact?.companyId)).toEqual([other.id, undefined, undefined]);
    expect((await countsOf(actor, other.id)).contacts).toBe(1);
  });
});

/** Ports for merging and deleting contacts, over the world's table. */
const merging = {
  clock: () => world.now,
  contacts,
  store: mergeStore(world.table, () => {}),
  lists: { replace: async () => {} },
  enqueue: () => {},
};
const deleting = {
  clock: () => world.now,
  contacts,
  store: erasureStore(world.table),
  forget: async () => {},
  enqueue: () => {},
};

describe('contacts that become one', () => {
  test('of one company count once, and of two in the one that is left', async () => {
    const actor = await world.organization();
    const [one, other] = [await aCompany(actor), await aCompany(actor, 'Outra')];
    const [a, b] = (await contactsOf(actor, one.id, 2)) as [Id<'contact'>, Id<'contact'>];
    const [c] = (await contactsOf(actor, other.id, 1)) as [Id<'contact'>];
    const free = (await kit.contact(actor)).id;
    accepted(await mergeContacts(merging, actor, a, b));
    expect((await countsOf(actor, one.id)).contacts).toBe(1);
    accepted(await mergeContacts(merging, actor, a, c));
    expect([(await countsOf(actor, one.id)).contacts, (await countsOf(actor, other.id)).contacts]).toEqual([1, 0]);
    expect(accepted(await mergeContacts(merging, actor, free, a)).companyId).toBe(one.id);
    expect((await countsOf(actor, one.id)).contacts).toBe(1);
    expect(await deleteContact(deleting, actor, free)).toBeUndefined();
    expect((await countsOf(actor, one.id)).contacts).toBe(0);
  });

  test('whose companies were deleted are merged and deleted all the same', async () => {
    const actor = await world.organization();
    const [one, other] = [await aCompany(actor), await aCompany(actor, 'Outra')];
    const [a] = (await contactsOf(actor, one.id, 1)) as [Id<'contact'>];
    const [b] = (await contactsOf(actor, other.id, 1)) as [Id<'contact'>];
    await deleteCompany(ports, actor, one.id);
    await deleteCompany(ports, actor, other.id);
    const merged = accepted(await mergeContacts(merging, actor, a, b));
    expect([merged.companyId, merged.papelNaEmpresa]).toEqual([undefined, undefined]);
    expect(await deleteContact(deleting, actor, a)).toBeUndefined();
  });
});

describe('the main contact of a company', () => {
  test('resolves to the contact that it was merged into, and to none once that one is deleted; the row of the company follows', async () => {
    const actor = await world.organization();
    const [kept, gone] = [(await kit.contact(actor)).id, (await kit.contact(actor)).id];
    const body = { nome: 'Padaria', contatoPrincipalId: gone };
    const { company } = accepted(await createCompany(ports, actor, body));
    const main = async () => accepted(await findCompany(ports, actor, company.id)).company.contatoPrincipalId;
    const row = async () => (await world.table.get(KEYS.company(company.id)))?.contatoPrincipalId;
    const process = { clock: () => world.now, raised: () => {} };
    const replace = (from: Id<'contact'>, to: Id<'contact'> | undefined) =>
      replaceMainContact(world.table, process, actor.organizationId, from, to);
    accepted(await mergeContacts(merging, actor, kept, gone));
    expect([await main(), await row()]).toEqual([kept, gone]);
    expect(await replace(gone, kept)).toBe('done');
    expect(await row()).toBe(kept);
    expect(await deleteContact(deleting, actor, kept)).toBeUndefined();
    expect([await main(), await row()]).toEqual([undefined, kept]);
    await replace(kept, undefined);
    expect(await row()).toBeUndefined();
    expect((await companiesListed(actor))[0]?.contatoPrincipalId).toBeUndefined();
  });

  test('changes with company.updated and a new updatedAt, once for each company, however often the work is repeated', async () => {
    const actor = await world.organization();
    await takeEvents(world.table, actor.env, actor.organizationId);
    const [kept, gone] = [(await kit.contact(actor)).id, (await kit.contact(actor)).id];
    const made: Company[] = [];
    for (const nome of ['A', 'B'])
      made.push(accepted(await createCompany(ports, actor, { nome, contatoPrincipalId: gone })).company);
    accepted(await createCompany(ports, actor, { nome: 'C', contatoPrincipalId: kept }));
    const reported: DomainEvent[] = [];
    const process = {
      clock: () => world.now,
      raised: (events: readonly DomainEvent[]) => void reported.push(...events),
    };
    const moved = () => replaceMainContact(world.table, process, actor.organizationId, gone, kept);
    await crashEverywhere(world.table, (table) => replaceMainContact(table, process, actor.organizationId, gone, kept));
    expect(await moved()).toBe('done');
    const late = accepted(await createCompany(ports, actor, { nome: 'D', contatoPrincipalId: kept })).company;
    const drop = () => replaceMainContact(world.table, process, actor.organizationId, kept, undefined);
    expect(reported.map(({ data }) => data.companyId).sort()).toEqual(made.map(({ id }) => id).sort());
    await Promise.all(Array.from({ length: 8 }, drop));
    expect(reported.filter(({ data }) => data.companyId === late.id)).toHaveLength(1);
    expect(reported.splice(2)).toHaveLength(4);
    const tenant = { organizationId: actor.organizationId, env: actor.env };
    const expected = made.map(({ id }) => ({
      type: 'company.updated',
      ...tenant,
      data: { companyId: id, campos: ['contatoPrincipalId'] },
    }));
    expect(reported).toHaveLength(2);
    expect(await world.events(reported.map(({ id }) => id))).toMatchObject(
      reported.map(({ data }) => expected.find((event) => event.data.companyId === data.companyId)),
    );
    for (const { id, updatedAt } of made)
      expect(accepted(await findCompany(ports, actor, id)).company.updatedAt).toBeGreaterThan(updatedAt);
  });
});
