import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { validCnpj } from '../support/companies.ts';
import { answered, type CostRow, documentedUnder, measureRows } from './cost-table.ts';
import { startMetered } from './metering.ts';

let service: Awaited<ReturnType<typeof startMetered>>;
let tenant: Tenant;
let company = '';
const documented = documentedUnder('What an operation of the CRM consumes');
let measured: Awaited<ReturnType<typeof measureRows>>;

const ok = (call: ReturnType<Tenant['test']['get']>) => answered(call, 200, 201, 204);
const post = (path: string, body: object) => ok(tenant.test.post(path, body));
const get = (path: string, query: Record<string, string | number> = {}) => ok(tenant.test.get(path, query));
/** Those of the first import come first in lists. */
const rows = (many: number, nth = 0) => Array.from({ length: many }, (_, at) => ({ nome: `Loja ${nth} ${at}` }));
const created = async (body: object = {}): Promise<string> =>
  (await tenant.test.post('/v2/companies', { nome: 'Padaria', ...body })).body.id;

/** Gives all companies a contact, since a list reads the time of its last message. */
const addContacts = async () => {
  const { items } = (await tenant.test.get('/v2/companies', { limit: 100 })).body;
  const contatos = items.map(({ id }: { id: string }, at: number) => ({
    phone: `+55119870${20_000 + at}`,
    companyId: id,
  }));
  expect((await tenant.test.post('/contacts/import', { contatos, onConflict: 'skip' })).body).toMatchObject({
    criados: items.length,
  });
};

/** The rows of the page's table, in its order. The work of consumers is not counted: it depends on how many changes they find. */
const ROWS: readonly CostRow[] = [
  {
    name: 'Create a company with a CNPJ',
    run: (nth) => post('/v2/companies', { nome: 'Padaria', cnpj: validCnpj(5_000 + nth) }),
  },
  { name: 'Read a company', run: () => get(`/v2/companies/${company}`) },
  {
    name: 'Change a company',
    run: (nth) => ok(tenant.test.call('PATCH', `/v2/companies/${company}`, { body: { segmento: `S${nth}` } })),
  },
  {
    name: 'Delete a company',
    run: () => ok(tenant.test.call('DELETE', `/v2/companies/${company}`)),
    first: async () => {
      company = await created();
    },
  },
  {
    name: 'Create a contact of a company',
    run: (nth) => post('/contacts', { phone: `+551198765300${nth}`, companyId: company }),
    first: async () => {
      company = await created();
    },
  },
  { name: 'List of companies, 25 a page, each with contacts', run: () => get('/v2/companies', { limit: 25 }) },
  {
    name: 'Search of companies by a part of the name, 25 a page',
    run: () => get('/v2/companies', { q: 'LOJA', limit: 25 }),
    first: async (nth) => {
      // Its change is due, so that all changes before are merged.
      await post('/v2/companies/import', { empresas: rows(16, nth + 1) });
      await service.quiet();
      await get('/v2/companies', { q: 'loja' });
    },
  },
];
beforeAll(async () => {
  service = await startMetered();
  tenant = await service.messaging.tenant();
  company = await created();
  await post('/v2/companies/import', { empresas: rows(50) });
  await addContacts();
  measured = await measureRows(service, ROWS, { documented, runs: 3 });
}, 300_000);
afterAll(() => service?.close());

test('the figures of docs/cost.md for operations of the CRM match the running service', () => {
  expect(documented).toEqual(measured);
});
