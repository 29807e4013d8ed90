import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { validCnpj } from '../support/companies.ts';
import { cell, tableUnder } from './cost-page.ts';
import { type Metered, startMetered } from './metering.ts';

let service: Awaited<ReturnType<typeof startMetered>>;
let tenant: Tenant;
let company = '';
let turn = 0;
const documented = new Map<string, Metered>();
const measured = new Map<string, Metered>();

const ok = async (answering: Promise<{ status: number; text: string }>) => {
  const { status, text } = await answering;
  expect(status, text.slice(0, 500)).toBeOneOf([200, 201, 204]);
};
const post = (path: string, body: object) => ok(tenant.test.post(path, body));
const get = (path: string, query: Record<string, string | number> = {}) => ok(tenant.test.get(path, query));
const rows = (many: number) => Array.from({ length: many }, (_, at) => ({ nome: `Loja ${turn} ${at}` }));
const created = async (body: object = {}): Promise<string> =>
  (await tenant.test.post('/v2/companies', { nome: 'Padaria', ...body })).body.id;

/** All companies get a contact, which a list asks for when it last wrote. */
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

interface Row {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Preparation that is not counted. */
  readonly first?: () => Promise<void>;
}
/** The rows of the page's table, in its order. The work of consumers is not counted: it depends on how many changes they find. */
const ROWS: readonly Row[] = [
  {
    name: 'Create a company with a CNPJ',
    run: () => post('/v2/companies', { nome: 'Padaria', cnpj: validCnpj(5_000 + turn) }),
  },
  { name: 'Read a company', run: () => get(`/v2/companies/${company}`) },
  {
    name: 'Change a company',
    run: () => ok(tenant.test.call('PATCH', `/v2/companies/${company}`, { body: { segmento: `S${turn}` } })),
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
    run: () => post('/contacts', { phone: `+5511987653${String(turn).padStart(3, '0')}`, companyId: company }),
    first: async () => {
      company = await created();
    },
  },
  { name: 'List of companies, 25 a page, each with contacts', run: () => get('/v2/companies', { limit: 25 }) },
  {
    name: 'Search of companies by a part of the name, 25 a page',
    run: () => get('/v2/companies', { q: 'LOJA', limit: 25 }),
    first: async () => {
      // Its change is due, so that all changes before are merged.
      await post('/v2/companies/import', { empresas: rows(16) });
      await service.quiet();
      await get('/v2/companies', { q: 'loja' });
    },
  },
];
const RUNS = 3;

const measure = async ({ name, run, first }: Row): Promise<void> => {
  const runs: Metered[] = [];
  for (let nth = 0; nth <= RUNS; nth++) {
    turn++;
    await first?.();
    await service.quiet();
    runs.push(await service.metered(run));
    await service.quiet();
  }
  const [least] = runs.slice(1).sort((a, b) => a.writeUnits + a.trips - b.writeUnits - b.trips);
  if (least) measured.set(name, least);
};

beforeAll(async () => {
  for (const [row = '', ...cells] of tableUnder('What an operation of the CRM consumes')) {
    const [writeUnits = 0, readUnits = 0, trips = 0, messages = 0] = cells.map((_, at) => cell(cells, at));
    documented.set(row, { writeUnits, readUnits, trips, messages });
  }
  service = await startMetered();
  tenant = await service.messaging.tenant();
  company = await created();
  await post('/v2/companies/import', { empresas: rows(50) });
  await addContacts();
  for (const row of ROWS) await measure(row);
}, 300_000);
afterAll(() => service?.close());

test('the figures of docs/cost.md for operations of the CRM match the running service', () => {
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(measured));
});
