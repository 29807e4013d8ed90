import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCountingProxy } from '../../bench/counting-proxy.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { moveRun } from '../../shared/domain/journeys/move-run.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { newOrganization } from '../lists/stage.ts';
import { ligacoes, passo } from '../support/journeys/build.ts';
import { patient } from '../support/patient-client.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/journeys.md'), 'utf8');
const world = await use(startWorld('test', { inMemory: false }));
const STEPS = {
  passos: [
    passo('enviar', { canal: 'sms', texto: 'Oi' }),
    passo('esperar', { horas: 1 }),
    passo('esperar_evento', { evento: 'compra', prazo: { dias: 1 } }),
    passo('etiqueta', { adicionar: 'novo' }),
  ],
  ligacoes: ligacoes('enviar > esperar', 'esperar > esperar_evento', 'esperar_evento evento> etiqueta'),
};

test('entries and moves take the write units of docs/journeys.md: alone these, and of 31 together at most these; runs that are due together share a read of their version', async () => {
  const meter = await startCountingProxy(world.proxy.endpoint);
  const table = new Table(patient(tableClient(meter.endpoint)), world.table.name);
  const own = journeysOver(table, () => world.now, new Outside());
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, STEPS);
  const people = await addContacts(table, tenant, 32);
  const [first] = people as [Contact];
  const unitsOf = async (work: () => Promise<unknown>, of = 1): Promise<string> => {
    meter.reset();
    await work();
    return String(Math.ceil(meter.taken().writeUnits / of));
  };
  const enter = (contacts: readonly Contact[]) =>
    own.enter(
      journey,
      contacts.map(({ id: contactId }) => ({ contactId, cause: { key: 'units', at: world.now } })),
    );
  const reported = { id: 'e1', name: 'compra' };
  const tell = async () => {
    for (const { runId } of await own.ports.runs.awaiting(first.id, 'compra', { id: 'e1', at: world.now }))
      await moveRun(own.ports, runId, { kind: 'event', event: reported });
  };
  const keyOfVersion = `"pk":{"S":"${KEYS.journey(journey.id).pk}"}`;
  const readsOfVersion = () =>
    meter.taken().calls.filter(({ action, body }) => action.endsWith('GetItem') && body.includes(keyOfVersion)).length;
  const measured: Record<string, string> = {};
  measured['An entry alone'] = await unitsOf(() => enter([first]));
  measured['A send, then a wait, alone'] = await unitsOf(() => own.work());
  world.now += 3_600_000;
  measured['A wait, then one for an event, alone'] = await unitsOf(() => own.work());
  world.now += 1_000;
  measured['The event, a tag and the end, alone'] = await unitsOf(tell);
  const together: Record<string, string> = {};
  together['An entry, of 31 together'] = await unitsOf(() => enter(people.slice(1)), 31);
  together['A send, then a wait, of 31 together'] = await unitsOf(() => own.work(), 31);
  expect(readsOfVersion()).toBe(1);
  const said = (what: string) => new RegExp(`\\| ${what} \\| (\\S+) \\|`).exec(PAGE)?.[1];
  for (const [what, units] of Object.entries(measured)) expect(units, what).toBe(said(what));
  expect(Number(measured['A send, then a wait, alone'])).toBeLessThanOrEqual(10);
  for (const [what, units] of Object.entries(together))
    expect(Number(units), what).toBeLessThanOrEqual(Number(said(what)));
});
