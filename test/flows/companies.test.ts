import { expect, test, vi } from 'vitest';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Client } from '../support/api.ts';
import { validCnpj } from '../support/companies.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { PATIENCE } from './support.ts';

const messaging = await sharedMessaging();

let phones = 0;
const aPhone = () => `+551196${String(9_000_000 + phones++)}`;
const DEFS = '/v2/organizations/me/company-attribute-defs';
const create = async (client: Client, body: object = {}) =>
  (await client.post('/v2/companies', { nome: 'Padaria Aurora', ...body })).body;
const patch = (client: Client, id: string, body: object) => client.call('PATCH', `/v2/companies/${id}`, { body });
const remove = (client: Client, id: string) => client.call('DELETE', `/v2/companies/${id}`);
const define = (client: Client, defs: readonly object[]) => client.call('PUT', DEFS, { body: { defs } });
const contactOf = async (client: Client, companyId: string, fields: object = {}) =>
  (await client.post('/contacts', { phone: aPhone(), companyId, papelNaEmpresa: 'decisor', ...fields })).body;

test('a company answers what was sent, normalized, and what is counted of it', async () => {
  const { test: client, id: organizationId } = await messaging.tenant();
  const answer = await client.post('/v2/companies', {
    nome: 'Padaria Aurora',
    cnpj: '12.abc.345/01de-35',
    site: 'https://padaria.example.com',
    atributos: { cliente: true, nada: null, constructor: 'x' },
  });
  expect(answer).toMatchObject({
    status: 201,
    body: { organizationId, cnpj: '12ABC34501DE35', atributos: { cliente: true, nada: null, constructor: 'x' } },
  });
  const { id, contagens } = answer.body;
  const none = { contatos: 0, negociosAbertos: 0, valorAberto: 0, ultimaInteracao: null };
  expect(contagens).toEqual({ ...none, valorGanho: 0, negociosGanhos: 0 });
  expect((await client.get(`/v2/companies/${id}`)).body).toEqual(answer.body);
  const listed = async () => (await client.get('/v2/companies')).body;
  await vi.waitFor(async () => expect((await listed()).items).toHaveLength(1), PATIENCE);
  expect(await listed()).toEqual({ items: [{ ...answer.body, contagens: none }], total: 1 });
  expect((await client.get('/v2/companies', { q: 'PADÁRIA', limit: 1 })).body.total).toBe(1);
  expect((await client.get('/v2/companies', { q: '12.ABC.345/01DE-35' })).body.items).toHaveLength(1);
  expect((await client.get('/v2/companies', { q: '12.ABC.345/01DE-36' })).body.items).toEqual([]);
});

test('an invalid field is named, and nothing is stored', async () => {
  const { test: client } = await messaging.tenant();
  const broken = await client.post('/v2/companies', { nome: 'A', cnpj: '12.ABC.345/01DE-36', site: 'ftp://a.example' });
  expectProblem(broken, 422);
  expect(broken.body.errors.map(({ path }: { path: string }) => path)).toEqual(['site']);
  expectProblem(await client.post('/v2/companies', { nome: 'A', cnpj: '12.ABC.345/01DE-36' }), 422);
  expectProblem(await client.post('/v2/companies', { nome: 'A', outra: 1 }), 422);
  expectProblem(await client.post('/v2/companies', { nome: 'A', atributos: { a: { b: 1 } } }), 422);
  for (const q of [' ', '\t', '\u2003'])
    expectProblem(await client.get('/v2/companies', { q }), 422, { errors: ['q'] });
  for (const limit of ['0', '101', 'x']) expectProblem(await client.get('/v2/companies', { limit }), 422);
  const meta = { code: 'VINCULO_INVALIDO' };
  for (const field of ['contatoPrincipalId', 'responsavelId'])
    for (const id of [`cnt_${'0'.repeat(21)}`, 'cnt_1', '#'])
      expectProblem(await client.post('/v2/companies', { nome: 'A', [field]: id }), 422, { errors: [field], meta });
  const linked = { phone: '+5511987650001', companyId: 'emp_1' };
  expectProblem(await client.post('/contacts', linked), 422, { errors: ['companyId'], meta });
  expect((await client.get('/v2/companies', { q: 'a' })).body.total).toBe(0);
});

test('a CNPJ is one company’s in an environment, and free in the other', async () => {
  const { test: client, live } = await messaging.tenant();
  const cnpj = validCnpj(11);
  await create(client, { cnpj });
  const taken = await client.post('/v2/companies', { nome: 'B', cnpj });
  expectProblem(taken, 409);
  expect(taken.body.meta).toEqual({ code: 'CNPJ_JA_CADASTRADO' });
  expect((await live.post('/v2/companies', { nome: 'B', cnpj })).status).toBe(201);
});

test('a company needs its permission: crm:read, crm:write, and crm:delete to delete one', async () => {
  const { test: client } = await messaging.tenant();
  const { id } = await create(client);
  const writer = await messaging.limited(client, ['crm:write']);
  expectProblem(await writer.get(`/v2/companies/${id}`), 403);
  expectProblem(await remove(writer, id), 403);
  expect((await patch(writer, id, { nome: 'B' })).status).toBe(200);
});

test('definitions decide what attributes may be, of later writes alone', async () => {
  const { test: client } = await messaging.tenant();
  expect((await client.get(DEFS)).body).toEqual({ defs: [] });
  const { id } = await create(client, { atributos: { desde: 'ontem' } });
  const defs = [
    { key: 'desde', type: 'date' },
    { key: 'tamanho', type: 'number', label: 'Tamanho', required: true },
  ];
  const set = await define(client, defs);
  expect(set.body.defs).toEqual(defs.map((definition) => ({ required: false, ...definition })));
  expectProblem(await define(client, [...defs, { key: 'desde', type: 'string' }]), 409);
  expect((await client.get(DEFS)).body).toEqual(set.body);
  for (const atributos of [
    undefined,
    { tamanho: '5' },
    { tamanho: null },
    { tamanho: 5, desde: '2026-02-30' },
    { tamanho: 5, desde: '0000-01-01' },
  ])
    expectProblem(await client.post('/v2/companies', { nome: 'A', atributos }), 422);
  await create(client, { atributos: { tamanho: 5, desde: '2026-02-28', livre: ['a'] } });
  expect((await patch(client, id, { nome: 'B' })).body.atributos).toEqual({ desde: 'ontem' });
  expectProblem(await patch(client, id, { atributos: { desde: 'hoje' } }), 422);
  expectProblem(
    await define(
      client,
      Array.from({ length: 51 }, (_, at) => ({ key: `k${at}`, type: 'string' })),
    ),
    422,
  );
});

test('a sensitive property that companies hold values of is neither removed nor relabelled', async () => {
  const { test: client } = await messaging.tenant();
  const defs = [
    { key: 'acesso', type: 'string', label: 'Senha do portal' },
    { key: 'cargo', type: 'string', label: 'Cargo' },
    { key: 'token', type: 'string' },
  ];
  await define(client, defs);
  const { id } = await create(client, { atributos: { acesso: 'x', cargo: 'y' } });
  for (const refused of [[], [{ ...defs[0], label: 'Portal' }]]) {
    const answer = await define(client, refused);
    expectProblem(answer, 409);
    expect(answer.body.meta).toEqual({ code: 'PROPRIEDADE_SENSIVEL_EM_USO', propriedades: 'acesso' });
  }
  expect((await define(client, [defs[0] as object])).status).toBe(200);
  await patch(client, id, { atributos: { acesso: '' } });
  expect((await define(client, [])).body).toEqual({ defs: [] });
});

test('contacts are counted, listed by who wrote last, and their messages shown', async () => {
  const { test: client } = await messaging.tenant();
  const [one, other] = [await create(client), await create(client, { nome: 'Outra' })];
  const ana = await contactOf(client, one.id);
  const bia = await contactOf(client, one.id);
  const countOf = async (id: string) => (await client.get(`/v2/companies/${id}`)).body.contagens.contatos;
  expect(await countOf(one.id)).toBe(2);
  await client.call('PATCH', `/contacts/${bia.id}`, { body: { companyId: other.id } });
  expect([await countOf(one.id), await countOf(other.id)]).toEqual([1, 1]);
  const sent = await client.send({ contactId: ana.id });
  const messages = async () => (await client.get(`/v2/companies/${one.id}/messages`)).body.items;
  await vi.waitFor(async () => expect(await messages()).toMatchObject([{ id: sent.body.id }]), PATIENCE);
  const contacts = (await client.get(`/v2/companies/${one.id}/contacts`)).body;
  expect(contacts).toMatchObject({ items: [{ id: ana.id, papelNaEmpresa: 'decisor' }], total: 1 });
  expectProblem(await client.get(`/v2/companies/${one.id}/messages`, { dias: 32 }), 422);
  await client.call('DELETE', `/contacts/${ana.id}`);
  expect(await countOf(one.id)).toBe(0);
});

test('a deleted company disappears immediately from every read of its contacts, and in the background from the contacts themselves', async () => {
  const { test: client } = await messaging.tenant();
  const { id } = await create(client, { cnpj: validCnpj(12), endereco: 'Rua A' });
  const contact = await contactOf(client, id, { externalId: 'x-1', tags: ['vip'] });
  expect((await remove(client, id)).status).toBe(204);
  expectProblem(await client.get(`/v2/companies/${id}`), 404);
  expectProblem(await remove(client, id), 404);
  const reads = [
    (await client.get(`/contacts/${contact.id}`)).body,
    (await client.get(`/contacts/${contact.id}/export`)).body,
    (await client.get('/contacts', { externalId: 'x-1' })).body,
    (await client.get('/contacts', { tag: 'vip' })).body,
    (await client.get('/contacts')).body,
    (await client.call('PATCH', `/contacts/${contact.id}`, { body: { name: 'Ana' } })).body,
  ];
  for (const read of reads) {
    expect(JSON.stringify(read)).toContain(contact.id);
    expect(JSON.stringify(read)).not.toMatch(new RegExp(`${id}|papelNaEmpresa`));
  }
  const [entry] = (await client.get('/v2/audit', { action: 'company.deleted' })).body.items;
  expect(entry).toMatchObject({ object: id, details: { unlinked: { contacts: 1, cards: 0 } } });
  expect(JSON.stringify(entry)).not.toMatch(/Aurora|Rua A/);
  expectProblem(await client.post('/contacts', { phone: aPhone(), companyId: id }), 422);
  const other = await create(client);
  const quiet = await contactOf(client, other.id);
  await remove(client, other.id);
  const stored = () => messaging.tables.test.get(KEYS.contact(quiet.id));
  await vi.waitFor(async () => expect((await stored())?.companyId).toBeUndefined(), PATIENCE);
  expect(await stored()).not.toHaveProperty('papelNaEmpresa');
});

test('an import creates, updates and reports invalid rows, without their values', async () => {
  const { test: client } = await messaging.tenant();
  const cnpj = validCnpj(13);
  const first = await create(client, { nome: 'Com CNPJ', cnpj, segmento: 'A', atributos: { a: 1 } });
  await create(client, { nome: 'Dupla' });
  await create(client, { nome: 'Dupla' });
  const rows = [
    { nome: 'Renomeada', cnpj, endereco: 'Rua B' },
    { nome: 'Nova', segmento: 'X' },
    { nome: 'Nova', site: 'https://nova.example.com' },
    { nome: 'nova' },
    { nome: 'Dupla' },
    { nome: 'Segredo Z', cnpj: '00.000.000/0000-00' },
    { cnpj: validCnpj(14), site: 'segredo z' },
    'segredo z',
    { nome: 'Segredo Z', responsavelId: `acc_${'0'.repeat(21)}` },
  ];
  const { status, body } = await client.post('/v2/companies/import', { empresas: rows });
  expect({ status, criadas: body.criadas, atualizadas: body.atualizadas }).toEqual({
    status: 200,
    criadas: 2,
    atualizadas: 2,
  });
  expect(body.erros.map(({ linha }: { linha: number }) => linha)).toEqual([5, 6, 7, 8, 9]);
  const reported = JSON.stringify(body.erros);
  expect(reported).not.toMatch(/segredo z/i);
  for (const field of ['nome', 'cnpj', 'site', 'responsavelId']) expect(reported).toContain(field);
  expect((await client.get(`/v2/companies/${first.id}`)).body).toMatchObject({
    nome: 'Renomeada',
    segmento: 'A',
    endereco: 'Rua B',
    atributos: { a: 1 },
  });
  const found = (await client.get('/v2/companies', { q: 'nova' })).body.items;
  expect(found.map(({ nome }: { nome: string }) => nome).sort()).toEqual(['Nova', 'nova']);
  expectProblem(await client.post('/v2/companies/import', { empresas: [] }), 422);
  expectProblem(await client.post('/v2/companies/import', { empresas: Array(501).fill(rows[1]) }), 422);
});
