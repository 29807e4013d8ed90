import { describe, expect, onTestFinished, test } from 'vitest';
import { changeCompany, createCompany, deleteCompany, findCompany } from '../../shared/domain/companies/companies.ts';
import type { CompanyPorts, CountedCompany } from '../../shared/domain/companies/company.ts';
import type { NewCompany } from '../../shared/domain/companies/fields.ts';
import { type CompanyFilter, listCompanies } from '../../shared/domain/companies/list.ts';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { setConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { readTombstone } from '../../shared/storage/crm/tombstones.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { PARSE_KEY } from '../../shared/storage/parse-key.ts';
import { accepted } from '../support/accepted.ts';
import { companiesOf, validCnpj } from '../support/companies.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { PATIENCE, waitAsInvocation } from '../support/patience.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test'));
const kit = companiesOf(world);
const ports: CompanyPorts = kit.ports;

const create = (actor: Actor, body: Partial<NewCompany> = {}) =>
  createCompany(ports, actor, { nome: 'Padaria Aurora', ...body });
const made = async (actor: Actor, body: Partial<NewCompany> = {}): Promise<CountedCompany> =>
  accepted(await create(actor, body));
const list = (actor: Actor, filter: CompanyFilter = {}, page = { skip: 0, limit: 100 }) =>
  listCompanies(kit.source, actor.organizationId, filter, page);
const namesOf = async (actor: Actor, filter: CompanyFilter = {}) =>
  (await list(actor, filter)).items.map(({ company }) => company.nome);
const eventsOf = async (organizationId: Id<'organization'>) =>
  (await world.events(kit.raised)).filter((event) => event.organizationId === organizationId);

describe('a CNPJ', () => {
  test('of 200 concurrent creations is registered once; the rest are 409', async () => {
    const actor = await world.organization();
    const cnpj = validCnpj(1);
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => create(actor, { cnpj })));
    expect(outcomes.filter((outcome) => !isRefusal(outcome))).toHaveLength(1);
    for (const outcome of outcomes.filter((each) => isRefusal(each)))
      expect(outcome).toMatchObject({ name: 'CONFLICT', details: { meta: { code: 'CNPJ_JA_CADASTRADO' } } });
    expect(await readCount(world.table, actor.organizationId, 'companies')).toBe(1);
    expect((await eventsOf(actor.organizationId)).map(({ type }) => type)).toEqual(['company.created']);
  });

  test('may be in two organizations, and is free again once its company gives it up', async () => {
    const [one, other] = [await world.organization(), await world.organization()];
    const cnpj = validCnpj(2);
    const first = await made(one, { cnpj });
    await made(other, { cnpj });
    const second = await made(one, { nome: 'Outra' });
    expect(await changeCompany(ports, one, second.company.id, { cnpj })).toMatchObject({ name: 'CONFLICT' });
    accepted(await changeCompany(ports, one, first.company.id, { cnpj: null }));
    expect(accepted(await changeCompany(ports, one, second.company.id, { cnpj })).company.cnpj).toBe(cnpj);
    expect(await deleteCompany(ports, one, second.company.id)).toBeUndefined();
    await made(one, { cnpj });
  });
});

describe('a change', () => {
  test('replaces attributes as a whole, clears by null, keeps omitted fields, and lists the changed fields', async () => {
    const actor = await world.organization();
    const { company } = await made(actor, { segmento: 'Pão', atributos: { a: 1, b: 'x' }, endereco: 'Rua A' });
    const change = { nome: 'Padaria Nova', segmento: null };
    const after = accepted(await changeCompany(ports, actor, company.id, change));
    expect(after.company).toMatchObject({ nome: 'Padaria Nova', endereco: 'Rua A', atributos: { a: 1, b: 'x' } });
    expect(after.company.segmento).toBeUndefined();
    accepted(await changeCompany(ports, actor, company.id, { atributos: { c: true } }));
    const read = accepted(await findCompany(ports, actor, company.id));
    expect(read.company.atributos).toEqual({ c: true });
    const events = await eventsOf(actor.organizationId);
    expect(events.flatMap(({ type, data }) => (type === 'company.updated' ? [data.campos] : []))).toEqual([
      ['nome', 'segmento'],
      ['atributos'],
    ]);
  });

  test('that changes nothing writes nothing and raises nothing', async () => {
    const actor = await world.organization();
    const { company } = await made(actor);
    const same = accepted(await changeCompany(ports, actor, company.id, { nome: company.nome, site: null }));
    expect(same.company).toEqual(company);
    expect((await eventsOf(actor.organizationId)).map(({ type }) => type)).toEqual(['company.created']);
  });

  test('of 20 concurrent writers loses none', async () => {
    // As an invocation, each waits for the others.
    setConflictPatience(waitAsInvocation);
    onTestFinished(() => setConflictPatience(() => 0));
    const actor = await world.organization();
    const { company } = await made(actor);
    const changes = Array.from({ length: 20 }, (_, at) =>
      changeCompany(ports, actor, company.id, at % 2 === 0 ? { segmento: `S${at}` } : { endereco: `E${at}` }),
    );
    for (const outcome of await Promise.all(changes)) accepted(outcome);
    const read = accepted(await findCompany(ports, actor, company.id));
    expect(read.company.version).toBe(21);
    expect([read.company.segmento, read.company.endereco]).toEqual([
      expect.stringMatching(/^S/),
      expect.stringMatching(/^E/),
    ]);
  });

  test('whose answer was lost is made once', async () => {
    const actor = await world.organization();
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    const { company } = await made(actor, { cnpj: validCnpj(3) });
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    accepted(await changeCompany(ports, actor, company.id, { nome: 'Depois' }));
    expect(accepted(await findCompany(ports, actor, company.id)).company).toMatchObject({ nome: 'Depois', version: 2 });
    expect(await readCount(world.table, actor.organizationId, 'companies')).toBe(1);
  });
});

describe('links', () => {
  test('are checked where they change, and only there', async () => {
    const actor = await world.organization();
    const [active, suspended] = [await kit.account(actor, 'active'), await kit.account(actor, 'suspended')];
    for (const responsavelId of [suspended, await kit.account(actor, 'invited'), newId('account')])
      expect(await create(actor, { responsavelId })).toMatchObject({
        name: 'VALIDATION_ERROR',
        details: { meta: { code: 'VINCULO_INVALIDO' }, errors: [{ path: 'responsavelId' }] },
      });
    const { company } = await made(actor, { responsavelId: active });
    await kit.suspend(active);
    accepted(await changeCompany(ports, actor, company.id, { responsavelId: active, nome: 'Outro' }));
    expect(await changeCompany(ports, actor, company.id, { responsavelId: suspended })).toMatchObject({
      details: { meta: { code: 'VINCULO_INVALIDO' } },
    });
    const other = await world.organization();
    const contact = await kit.contact(other);
    expect(await create(actor, { contatoPrincipalId: contact.id })).toMatchObject({
      details: { meta: { code: 'VINCULO_INVALIDO' }, errors: [{ path: 'contatoPrincipalId' }] },
    });
    expect(await readCount(world.table, actor.organizationId, 'companies')).toBe(1);
  });
});

describe('the list', () => {
  test('is ordered as a person sorts: without case and accents, a shorter name before a longer one', async () => {
    const actor = await world.organization();
    const names = ['Zebra', 'água', 'Ágil', 'abacaxi', 'Abc Def', 'ABC', 'abcd', 'Ação', 'acordo', 'Açúcar', 'ABC-1'];
    for (const nome of names) await made(actor, { nome });
    const expected = [
      'abacaxi',
      'ABC',
      'Abc Def',
      'ABC-1',
      'abcd',
      'Ação',
      'acordo',
      'Açúcar',
      'Ágil',
      'água',
      'Zebra',
    ];
    await expect.poll(() => namesOf(actor), PATIENCE).toEqual(expected);
    expect(await namesOf(actor, { q: '' })).toEqual(expected);
    const page = await list(actor, {}, { skip: 3, limit: 2 });
    expect(page.total).toBe(names.length);
    expect(page.items.map(({ company }) => company.nome)).toEqual(expected.slice(3, 5));
  });

  test('has names that differ by case and accents alone in the order of their ids, on every page and in every search', async () => {
    const actor = await world.organization();
    const same = [];
    for (const nome of ['Maca', 'Maçã', 'MACA', 'Macã', 'maçã', 'Maca'])
      same.push((await made(actor, { nome })).company.id);
    const expected = [...same].sort();
    const idsOf = async (filter: object, skip: number) =>
      (await list(actor, filter, { skip, limit: 4 })).items.map(({ company }) => company.id);
    for (const filter of [{}, { q: 'maca' }])
      await expect
        .poll(async () => [...(await idsOf(filter, 0)), ...(await idsOf(filter, 4))], PATIENCE)
        .toEqual(expected);
  });

  test('finds parts of names whatever their case and accents, CNPJs by their check digits, and who is responsible', async () => {
    const actor = await world.organization();
    const responsavelId = await kit.account(actor, 'active');
    const cnpj = validCnpj(4);
    await made(actor, { nome: 'João & Filhos', cnpj, responsavelId });
    await made(actor, { nome: 'Armazém São João' });
    await made(actor, { nome: `Loja ${cnpj.slice(0, 13)}9`, responsavelId });
    expect(await namesOf(actor, { q: 'JOAO' })).toEqual(['Armazém São João', 'João & Filhos']);
    expect(await namesOf(actor, { q: 'ão jo' })).toEqual(['Armazém São João']);
    const masked = cnpj.replace(/^(..)(...)(...)(....)(..)$/, '$1.$2.$3/$4-$5');
    expect(await namesOf(actor, { q: masked })).toEqual(['João & Filhos']);
    expect(await namesOf(actor, { q: cnpj.toLowerCase() })).toEqual(['João & Filhos']);
    const wrong = `${cnpj.slice(0, 13)}${cnpj.endsWith('9') ? '8' : '9'}`;
    expect(await namesOf(actor, { q: wrong })).toEqual(cnpj.endsWith('9') ? [] : [`Loja ${wrong}`]);
    expect(await namesOf(actor, { responsavelId })).toEqual(['João & Filhos', `Loja ${cnpj.slice(0, 13)}9`]);
    expect(await namesOf(actor, { responsavelId, q: 'joão' })).toEqual(['João & Filhos']);
    expect(await namesOf(actor, { responsavelId: newId('account'), q: cnpj })).toEqual([]);
    expect(await namesOf(await world.organization(), { q: 'joao' })).toEqual([]);
  });
});

describe('a deletion', () => {
  test('leaves nothing that finds the company, and a tombstone; its repeat is 404', async () => {
    const actor = await world.organization();
    const { company } = await made(actor, { cnpj: validCnpj(5) });
    expect(await deleteCompany(ports, await world.organization(), company.id)).toMatchObject({ name: 'NOT_FOUND' });
    expect(await deleteCompany(ports, actor, company.id)).toBeUndefined();
    expect(await deleteCompany(ports, actor, company.id)).toMatchObject({ name: 'NOT_FOUND' });
    const rows = await world.table.queryAll({ partition: KEYS.company(company.id).pk, consistent: true });
    expect(rows).toEqual([]);
    expect(await findCompany(ports, actor, company.id)).toMatchObject({ name: 'NOT_FOUND' });
    expect(await readCount(world.table, actor.organizationId, 'companies')).toBe(0);
    expect(await namesOf(actor, { q: 'aurora' })).toEqual([]);
    expect(await readTombstone(world.table, actor.organizationId, company.id)).toBeDefined();
    expect((await eventsOf(actor.organizationId)).map(({ type }) => type)).toEqual([
      'company.created',
      'company.deleted',
    ]);
  });

  test('whose response was lost is one deletion with one event and one audit entry', async () => {
    const actor = await world.organization();
    const { company } = await made(actor);
    world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));
    expect(await deleteCompany(ports, actor, company.id)).toBeUndefined();
    expect(await readCount(world.table, actor.organizationId, 'companies')).toBe(0);
    expect(await kit.auditOf(actor, 'company.deleted')).toHaveLength(1);
    // No response reported the commit: its event is found as due work.
    const due = await overdue(world.table, 'publish_event', world.now, 1_000);
    const stored = await world.events(due.map((item) => PARSE_KEY.event(item)));
    const deletions = stored.filter(({ type, data }) => type === 'company.deleted' && data.companyId === company.id);
    expect(deletions).toHaveLength(1);
  });
});
