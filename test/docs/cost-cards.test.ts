import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { answered, type CostRow, documentedUnder, measureRows } from './cost-table.ts';
import { startMetered } from './metering.ts';

let service: Awaited<ReturnType<typeof startMetered>>;
let tenant: Tenant;
let contatoId = '';
let empresaId = '';
let pipeline = { id: '', estagios: [{ id: '' }] };
let card = { id: '' };

const stage = (at: number) => pipeline.estagios[at]?.id ?? '';
const create = async (fields: object = {}) => {
  const body = { pipelineId: pipeline.id, titulo: 'Renovação anual', valor: 12_500.5, contatoId, empresaId, ...fields };
  const answer = await tenant.test.post('/cards', body);
  expect(answer.status, answer.text).toBe(201);
  card = answer.body;
};
const ok = (call: ReturnType<Tenant['test']['get']>) => answered(call, 200);
const move = (estagioId: string, more: object = {}) =>
  ok(tenant.test.post(`/cards/${card.id}/move`, { estagioId, ...more }));

/** The rows of the page's table of cards, in its order. */
const ROWS: readonly CostRow[] = [
  { name: 'Create a card', run: () => create() },
  {
    name: 'Create a card that names no contact and no company',
    run: () => create({ contatoId: undefined, empresaId: undefined }),
  },
  {
    name: 'Change its title',
    run: () => ok(tenant.test.call('PATCH', `/cards/${card.id}`, { body: { titulo: 'Renovação' } })),
    first: () => create(),
  },
  { name: 'Move it to another stage', run: () => move(stage(1)), first: () => create() },
  {
    name: 'Move it within its stage',
    run: () => move(stage(0)),
    first: async () => {
      await create();
      const { id } = card;
      await create();
      card = { id };
    },
  },
  { name: 'Win it', run: () => ok(tenant.test.post(`/cards/${card.id}/won`, {})), first: () => create() },
  { name: 'Read it', run: () => ok(tenant.test.get(`/cards/${card.id}`)) },
  { name: 'Read a board of 6 stages and 50 cards', run: () => ok(tenant.test.get(`/pipelines/${pipeline.id}/board`)) },
  {
    name: 'List of cards of a pipeline, 50 a page',
    run: () => ok(tenant.test.get('/cards', { pipelineId: pipeline.id })),
  },
  { name: 'Forecast', run: () => ok(tenant.test.get(`/pipelines/${pipeline.id}/forecast`)) },
];

const documented = documentedUnder('What cards consume');
let measured: Awaited<ReturnType<typeof measureRows>>;

beforeAll(async () => {
  service = await startMetered();
  tenant = await service.messaging.tenant();
  contatoId = (await tenant.test.post('/contacts', { phone: '+5511987651000' })).body.id;
  empresaId = (await tenant.test.post('/v2/companies', { nome: 'Padaria Azul' })).body.id;
  pipeline = (await tenant.test.post('/pipelines', { nome: 'Vendas' })).body;
  const cartoes = Array.from({ length: 44 }, (_, at) => ({
    pipelineId: pipeline.id,
    titulo: `Negócio ${at}`,
    valor: at,
  }));
  const { body } = await tenant.test.post('/cards/import', {
    cartoes: cartoes.map((row) => ({ ...row, estagioId: stage(3) })),
  });
  expect(body).toMatchObject({ criadas: 44 });
  measured = await measureRows(service, ROWS, { documented });
}, 300_000);
afterAll(() => service?.close());

test('the figures of docs/cost.md for cards match the running service', () => {
  expect(documented).toEqual(measured);
});

test('a move takes at most 12 write units without an event', () => {
  const units = ['Move it to another stage', 'Move it within its stage'].map((row) => measured[row]?.writeUnits);
  expect(
    units.every((each) => each !== undefined && each <= 12),
    String(units),
  ).toBe(true);
});
