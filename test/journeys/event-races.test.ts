import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import type { JourneyDefinition } from '../../shared/domain/journeys/definition.ts';
import { moveDueRun, moveRun } from '../../shared/domain/journeys/move-run.ts';
import type { Move, StoredRun } from '../../shared/domain/journeys/run-ports.ts';
import { newOrganization } from '../lists/stage.ts';
import { decisions, ligacoes, passo } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const world = await use(startWorld('test'));
const awaiting = (chave: string) => passo('esperar_evento', { evento: 'compra', prazo: { dias: 1 } }, chave);

/** A contact that entered a journey, and events of it, each reported with a given time. */
const entered = async (definition: Pick<JourneyDefinition, 'ligacoes' | 'passos'>) => {
  const outside = new Outside();
  const own = journeysOver(world.table, () => world.now, outside);
  const tenant = await newOrganization(world.table);
  const journey = await activeJourney(own, tenant, definition);
  const [contact] = (await addContacts(world.table, tenant, 1)) as [Contact];
  await own.enter(journey, [{ contactId: contact.id, cause: { key: 'entry', at: world.now } }]);
  const tell = async (id: string, at: number) => {
    const event = { id, name: 'compra' };
    outside.events.set(id, event);
    for (const { runId } of await own.ports.runs.awaiting(contact.id, 'compra', { id, at }))
      await moveRun(own.ports, runId, { kind: 'event', event });
  };
  const stored = async () => (await own.runsOf(journey, contact.id)) as StoredRun;
  return { own, journey, tell, stored };
};

test('events that arrive while long paths to their waits are stored are consumed, one by one', async () => {
  const { passos, ligacoes: links } = decisions(144);
  const keys = passos.map(({ chave }) => chave);
  const [first = '', second = '', third = ''] = [keys[49], keys[99], keys[143]];
  const { own, journey, tell, stored } = await entered({
    passos: [...passos, ...['um', 'dois', 'tres'].map(awaiting)],
    ligacoes: [
      ...links.filter(({ de }) => de !== first && de !== second),
      ...ligacoes(`${first} ramo:A> um`, `um evento> ${keys[50]}`),
      ...ligacoes(`${second} ramo:A> dois`, `dois evento> ${keys[100]}`, `${third} ramo:A> tres`),
    ],
  });
  const { ports } = own;
  // The event that comes when each of these waits is about to be stored.
  const coming = new Map([
    ['um', 'e1'],
    ['dois', 'e2'],
  ]);
  const save = async (move: Move) => {
    const { wait, step } = move.after.run;
    const id = wait?.kind === 'event' ? coming.get(step) : undefined;
    if (id && coming.delete(step)) await tell(id, ++world.now);
    return ports.runs.save(move);
  };
  await moveDueRun({ ...ports, runs: { ...ports.runs, save } }, (await stored()).run.id);
  expect((await stored()).run).toMatchObject({ status: 'ativa', step: 'tres', taken: ['e1', 'e2'], kept: [] });
  await tell('e3', ++world.now);
  const history = await ports.runs.historyOf(await stored());
  expect(history.map(({ step }) => step)).toEqual([
    ...keys.slice(0, 50),
    'um',
    ...keys.slice(50, 100),
    'dois',
    ...keys.slice(100),
    'tres',
  ]);
  expect((await own.counts(journey))['']).toEqual({ entradas: 1, concluidas: 1 });
});

test('events reported out of order by processes with different clocks are each consumed once, and a run continues to wait', async () => {
  const { own, tell, stored } = await entered({
    passos: ['um', 'dois', 'tres'].map(awaiting),
    ligacoes: ligacoes('um evento> dois', 'dois evento> tres'),
  });
  await own.work();
  await tell('e1', world.now + 5_000);
  await tell('e2', world.now + 3_000);
  expect((await stored()).run).toMatchObject({ status: 'ativa', step: 'tres', taken: ['e1', 'e2'] });
});
