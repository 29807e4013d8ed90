import { expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Candidate, Entered } from '../../shared/domain/journeys/enter.ts';
import { newOrganization } from '../lists/stage.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { ownTable, table } = await useContendedTable();
let now = Date.parse('2026-03-10T12:00:00Z');
const clock = () => now;
const outside = new Outside();
const own = journeysOver(table, clock, outside);
const HOUR_MS = 3_600_000;

const WAIT = {
  passos: [{ chave: 'espera', tipo: 'esperar', config: { dias: 1 } }],
  ligacoes: [],
} as const;
const candidates = (people: readonly Contact[], key: string, at = now): Candidate[] =>
  people.map(({ id: contactId }) => ({ contactId, cause: { key, at } }));
const tally = (answers: readonly Entered[]) => {
  const names = answers.map((answer) => ('runId' in answer ? 'entered' : answer.refusal));
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
};

test('of a hundred contacts entered concurrently by twenty processes, each has one run, counted once', async () => {
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, WAIT);
  const people = await addContacts(table, tenant, 100);
  const processes = Array.from({ length: 20 }, () => journeysOver(ownTable(), clock, outside));
  const answers = await Promise.all(
    processes.map((process, at) => process.enter(journey, candidates(people, `cause ${at}`))),
  );
  const entered = answers.flat().filter((answer) => 'runId' in answer);
  expect(entered).toHaveLength(people.length);
  expect(tally(answers.flat())).toEqual({ entered: 100, ja_ativa: 1_900 });
  const counts = await own.counts(journey);
  expect(counts['']).toEqual({ entradas: 100 });
  expect(counts.espera).toEqual({ entraram: 100 });
  for (const { id } of people)
    expect((await own.runsOf(journey, id))?.run).toMatchObject({ status: 'ativa', contactId: id });
});

test('rejected contacts do not affect the others', async () => {
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, WAIT);
  const people = await addContacts(table, tenant, 40);
  await own.enter(journey, candidates(people.slice(0, 7), 'first'));
  const nobody = { contactId: newId('contact'), cause: { key: 'second', at: now } };
  const answers = await own.enter(journey, [nobody, ...candidates(people, 'second')]);
  expect(tally(answers)).toEqual({ contato_inexistente: 1, ja_ativa: 7, entered: 33 });
  expect((await own.counts(journey))['']).toEqual({ entradas: 40 });
});

test('a repeated cause enters no contact twice: neither while the run is active, nor after it ended', async () => {
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, { ...WAIT, reentrada: 'apos_concluir' });
  const people = await addContacts(table, tenant, 3);
  const first = await own.enter(journey, candidates(people, 'event 1'));
  const reported = candidates(people, 'event 1');
  expect(await own.enter(journey, reported)).toEqual(first);
  await own.work();
  now += 25 * HOUR_MS;
  await own.work();
  expect((await own.runsOf(journey, people[0]?.id as never))?.run.status).toBe('concluida');
  expect(await own.enter(journey, reported)).toEqual(first);
  expect((await own.counts(journey))['']).toEqual({ entradas: 3, concluidas: 3 });
});

test('a cause from during a run enters no contact after it, however late it is reported', async () => {
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, { ...WAIT, reentrada: 'apos_concluir' });
  const people = await addContacts(table, tenant, 2);
  await own.enter(journey, candidates(people, 'event 1'));
  const meanwhile = candidates(people, 'event 2', now + HOUR_MS);
  await own.work();
  now += 25 * HOUR_MS;
  await own.work();
  expect(tally(await own.enter(journey, meanwhile))).toEqual({ ja_ativa: 2 });
  now += 1;
  expect(tally(await own.enter(journey, candidates(people, 'event 3')))).toEqual({ entered: 2 });
});

test('a contact enters once where there is no re-entry, and otherwise after the interval since its last run began', async () => {
  const tenant = await newOrganization(table);
  const once = await activeJourney(own, tenant, WAIT);
  const again = await activeJourney(own, tenant, { ...WAIT, reentrada: 'apos_concluir', intervaloReentradaHoras: 48 });
  const people = await addContacts(table, tenant, 1);
  for (const journey of [once, again]) await own.enter(journey, candidates(people, 'event 1'));
  await own.work();
  now += 25 * HOUR_MS;
  await own.work();
  now += 1;
  expect(tally(await own.enter(once, candidates(people, 'event 2')))).toEqual({ ja_entrou: 1 });
  expect(tally(await own.enter(again, candidates(people, 'event 2')))).toEqual({ intervalo: 1 });
  now += 23 * HOUR_MS;
  expect(tally(await own.enter(again, candidates(people, 'event 3')))).toEqual({ entered: 1 });
});

test('a paused, archived or replaced version takes no entries', async () => {
  const tenant = await newOrganization(table);
  const journey = await activeJourney(own, tenant, WAIT);
  const people = await addContacts(table, tenant, 1);
  for (const change of [{ status: 'pausada' }, { status: 'arquivada' }, { entriesClosed: true }] as const)
    expect(tally(await own.enter({ ...journey, ...change }, candidates(people, 'event')))).toEqual({
      entradas_encerradas: 1,
    });
});
