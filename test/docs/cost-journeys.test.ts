import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { answered, type CostRow, documentedUnder, measureRows } from './cost-table.ts';
import { startMetered } from './metering.ts';

let service: Awaited<ReturnType<typeof startMetered>>;
let tenant: Tenant;
let id = '';

const PATH = '/v2/journeys';
const sms = (chave: string) => ({ chave, tipo: 'enviar', config: { canal: 'sms', texto: 'Olá, {{contato.nome}}!' } });
const STEPS = {
  passos: ['um', 'dois', 'tres'].map(sms),
  ligacoes: [
    { de: 'um', para: 'dois' },
    { de: 'dois', para: 'tres' },
  ],
};
const ok = (call: ReturnType<Tenant['test']['get']>, status = 200) => answered(call, status);
const create = async () => {
  const gatilho = { tipo: 'evento', nome: 'cadastro' };
  const answer = await tenant.test.post(PATH, { name: 'Boas-vindas', gatilho, ...STEPS, reentrada: 'nunca' });
  expect(answer.status, answer.text).toBe(201);
  id = answer.body.id;
};
const act = (name: string) => ok(tenant.test.post(`${PATH}/${id}/${name}`, {}));
const active = async () => {
  await create();
  await act('activate');
};
const change = (status: number) => ok(tenant.test.call('PATCH', `${PATH}/${id}`, { body: { name: 'Outra' } }), status);

/** The rows of the page's table of journeys, in its order. */
const ROWS: readonly CostRow[] = [
  { name: 'Create a journey of 3 steps', run: create },
  { name: 'Read it', run: () => ok(tenant.test.get(`${PATH}/${id}`)), first: create },
  { name: 'Rename a draft', run: () => change(200), first: create },
  { name: 'Make a draft of the next version', run: () => change(201), first: active },
  { name: 'Activate a draft', run: () => act('activate'), first: create },
  { name: 'Pause it', run: () => act('pause'), first: active },
  { name: 'Archive it', run: () => act('archive'), first: active },
  { name: 'List of 20 journeys', run: () => ok(tenant.test.get(PATH)) },
];

const documented = documentedUnder('What journeys consume');
let measured: Awaited<ReturnType<typeof measureRows>>;

beforeAll(async () => {
  service = await startMetered();
  tenant = await service.messaging.tenant();
  const most = await measureRows(service, ROWS.slice(0, -1), { documented });
  // A tenant of its own, so that the list is as long as its row says.
  tenant = await service.messaging.tenant();
  for (let made = 0; made < 20; made++) await (made % 2 === 0 ? active : create)();
  measured = { ...most, ...(await measureRows(service, ROWS.slice(-1), { documented })) };
}, 300_000);
afterAll(() => service?.close());

test('the figures of docs/cost.md for journeys match the running service', () => {
  expect(documented).toEqual(measured);
});
