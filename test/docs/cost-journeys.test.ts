import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { cell, tableUnder } from './cost-page.ts';
import { type Metered, startMetered } from './metering.ts';

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
const ok = async (call: Promise<{ status: number; text: string }>, status = 200) => {
  const answer = await call;
  expect(answer.status, answer.text).toBe(status);
};
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

interface Row {
  readonly name: string;
  readonly run: () => Promise<void>;
  /** Preparation that is not counted. */
  readonly first?: () => Promise<void>;
}
/** The rows of the page's table of journeys, in its order. */
const ROWS: readonly Row[] = [
  { name: 'Create a journey of 3 steps', run: create },
  { name: 'Read it', run: () => ok(tenant.test.get(`${PATH}/${id}`)), first: create },
  { name: 'Rename a draft', run: () => change(200), first: create },
  { name: 'Make a draft of the next version', run: () => change(201), first: active },
  { name: 'Activate a draft', run: () => act('activate'), first: create },
  { name: 'Pause it', run: () => act('pause'), first: active },
  { name: 'Archive it', run: () => act('archive'), first: active },
  { name: 'List of 20 journeys', run: () => ok(tenant.test.get(PATH)) },
];

const documented = new Map<string, Metered>();
const measured = new Map<string, Metered>();
/** The minimum of two runs, after one that fills the caches. */
const measure = async ({ name, run, first }: Row): Promise<void> => {
  const runs: Metered[] = [];
  for (let turn = 0; turn <= 2; turn++) {
    await first?.();
    await service.quiet();
    runs.push(await service.metered(run));
  }
  const [least] = runs.slice(1).sort((a, b) => a.trips - b.trips || a.writeUnits - b.writeUnits);
  if (least) measured.set(name, least);
};

beforeAll(async () => {
  for (const [row = '', ...cells] of tableUnder('What journeys consume')) {
    const [writeUnits = 0, readUnits = 0, trips = 0, messages = 0] = cells.map((_, at) => cell(cells, at));
    documented.set(row, { writeUnits, readUnits, trips, messages });
  }
  service = await startMetered();
  tenant = await service.messaging.tenant();
  for (const row of ROWS.slice(0, -1)) await measure(row);
  // A tenant of its own, so that the list is as long as its row says.
  tenant = await service.messaging.tenant();
  for (let made = 0; made < 20; made++) await (made % 2 === 0 ? active : create)();
  for (const row of ROWS.slice(-1)) await measure(row);
}, 300_000);
afterAll(() => service?.close());

test('the figures of docs/cost.md for journeys match the running service', () => {
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(measured));
});
