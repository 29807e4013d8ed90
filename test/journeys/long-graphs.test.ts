import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { StoredRun } from '../../shared/domain/journeys/run-ports.ts';
import { simulate } from '../../shared/domain/journeys/simulate.ts';
import { newOrganization } from '../lists/stage.ts';
import { decisions, definition, ligacoes, passo, scenarioOf } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const world = await use(startWorld('test'));
const own = journeysOver(world.table, () => world.now, new Outside());

test('a run goes through 150 steps that take no time to its end, and counts and notes each of them once', async () => {
  const tenant = await newOrganization(world.table);
  const journey = await activeJourney(own, tenant, decisions(150));
  const [ana] = (await addContacts(world.table, tenant, 1)) as [Contact];
  await own.enter(journey, [{ contactId: ana.id, cause: { key: 'long', at: world.now } }]);
  await own.work();
  const stored = (await own.runsOf(journey, ana.id)) as StoredRun;
  expect(stored.run).toMatchObject({ status: 'concluida', step: 'se149' });
  expect(await own.ports.runs.historyOf(stored)).toHaveLength(150);
  const { '': runs, ...steps } = await own.counts(journey);
  expect(runs).toMatchObject({ entradas: 1, concluidas: 1 });
  expect(Object.values(steps)).toEqual(Array.from({ length: 150 }, () => ({ entraram: 1, sairam: 1 })));
});

test('a simulation of 150 instant steps reports each of them once', () => {
  const { steps, end } = simulate(scenarioOf({ ...definition([], []), ...decisions(150) }));
  expect(steps.map(({ step }) => step)).toEqual(decisions(150).passos.map(({ chave }) => chave));
  expect(end).toMatchObject({ reason: 'fim' });
});

test('runs of many journeys that take many steps at the same time are all stored', async () => {
  const tenant = await newOrganization(world.table);
  const people = await addContacts(world.table, tenant, 12);
  const entered = await Promise.all(
    people.map(async ({ id: contactId }) => ({
      contactId,
      journey: await activeJourney(own, tenant, decisions(12)),
    })),
  );
  for (const { contactId, journey } of entered)
    await own.enter(journey, [{ contactId, cause: { key: 'many', at: world.now } }]);
  await own.work();
  const stored = await Promise.all(entered.map(({ contactId, journey }) => own.runsOf(journey, contactId)));
  expect(stored.map((each) => each?.run.status)).toEqual(people.map(() => 'concluida'));
});

test('a history that is longer than a row of it is kept whole, in order', async () => {
  const tenant = await newOrganization(world.table);
  const journey = await activeJourney(own, tenant, {
    passos: [passo('esperar', { horas: 1 }), passo('etiqueta', { adicionar: 'novo' })],
    ligacoes: ligacoes('esperar > etiqueta', 'etiqueta > esperar'),
  });
  const [ana] = (await addContacts(world.table, tenant, 1)) as [Contact];
  await own.enter(journey, [{ contactId: ana.id, cause: { key: 'round', at: world.now } }]);
  for (let hour = 0; hour < 40; hour++) {
    await own.work();
    world.now += 3_600_000;
  }
  const stored = (await own.runsOf(journey, ana.id)) as StoredRun;
  const history = await own.ports.runs.historyOf(stored);
  expect(stored.history.length).toBeLessThan(20);
  expect(history).toHaveLength(stored.run.historyCount);
  expect(history.length).toBeGreaterThan(70);
  expect(history.map(({ at }) => at)).toEqual(history.map(({ at }) => at).toSorted((a, b) => a - b));
  expect(history.slice(0, 4).map(({ step, result }) => `${step} ${result}`)).toEqual([
    'esperar passou',
    'etiqueta feito',
    'esperar passou',
    'etiqueta feito',
  ]);
});
