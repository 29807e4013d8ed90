import { describe, expect, test } from 'vitest';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { WireTrigger } from '../../shared/domain/journeys/definition.ts';
import { moveRun } from '../../shared/domain/journeys/move-run.ts';
import type { StoredRun } from '../../shared/domain/journeys/run-ports.ts';
import { enterMoved, signalEvent, signalMessage, signalTags } from '../../shared/domain/journeys/triggers.ts';
import { holdsWord } from '../../shared/domain/journeys/words.ts';
import { newOrganization } from '../lists/stage.ts';
import { useContendedTable } from '../support/contended-table.ts';
import { passo } from '../support/journeys/build.ts';
import { activeJourney, addContacts, journeysOver, Outside } from './stage.ts';

const { table } = await useContendedTable();
let now = Date.parse('2026-03-10T12:00:00Z');
const own = journeysOver(table, () => now, new Outside());

const withTrigger = async (gatilho: WireTrigger) => {
  const tenant = await newOrganization(table);
  const graph = { passos: [passo('esperar', { dias: 1 })], ligacoes: [] };
  const journey = await activeJourney(own, tenant, { ...graph, gatilho, reentrada: 'apos_concluir' });
  const [contact] = (await addContacts(table, tenant, 1)) as [Contact];
  now += 1_000;
  return { ...tenant, journey, contact, runs: () => own.runsOf(journey, contact.id) };
};

describe('a word of a message', () => {
  test.each([
    ['PROMOÇÃO', 'Quero a promocao!'],
    ['promocao', 'A PROMOÇÃO, por favor'],
    ['quero saber', 'Olá: quero   saber mais'],
  ])('%s is held by %s', (word, text) => expect(holdsWord(text, word)).toBe(true));
  test.each([
    ['promo', 'promoção'],
    ['quero saber', 'saber quero'],
    ['sim', undefined],
  ])('%s is not held by %s', (word, text) => expect(holdsWord(text, word)).toBe(false));
  test('any message has none', () => expect(holdsWord(undefined, undefined)).toBe(true));
});

test('a message enters its contact if it contains the word, and one from before the activation does not', async () => {
  const { contact, journey, runs, ...tenant } = await withTrigger({ tipo: 'mensagem', nome: 'promoção' });
  const message = { id: newId('message'), organizationId: tenant.organizationId, contactId: contact.id };
  await signalMessage(own.ports, { ...message, text: 'bom dia', at: now });
  await signalMessage(own.ports, { ...message, text: 'promocao', at: (journey.activatedAt ?? 0) - 1 });
  await signalMessage(own.ports, { ...message, contactId: undefined, text: 'promocao', at: now });
  expect(await runs()).toBeUndefined();
  for (let reported = 0; reported < 2; reported++)
    await signalMessage(own.ports, { ...message, text: 'Promoção?', at: now });
  expect((await runs())?.run.status).toBe('ativa');
  expect((await own.counts(journey))['']).toEqual({ entradas: 1 });
});

test('a customer event enters its contact by when it happened: not before the activation, nor within a run, whenever it is reported', async () => {
  const { contact, journey, runs, ...tenant } = await withTrigger({ tipo: 'evento', nome: 'cadastro' });
  const reported = (occurredAt: number) =>
    signalEvent(own.ports, {
      organizationId: tenant.organizationId,
      env: tenant.env,
      contactId: contact.id,
      id: newId('customerEvent'),
      eventId: newId('request'),
      name: 'cadastro',
      occurredAt,
      attribution: null,
      claim: '',
      createdAt: now,
    });
  await reported((journey.activatedAt ?? 0) - 1);
  expect(await runs()).toBeUndefined();
  await reported(journey.activatedAt ?? 0);
  const first = (await runs())?.run;
  expect(first).toMatchObject({ since: journey.activatedAt, event: { at: journey.activatedAt } });
  if (first) await moveRun(own.ports, first.id, { kind: 'cancel', reason: 'operador' });
  const ended = now;
  now += 60_000;
  await reported(ended);
  expect((await runs())?.run.id).toBe(first?.id);
  await reported(ended + 1);
  const second = (await runs())?.run;
  expect(second).toMatchObject({ status: 'ativa', since: ended + 1 });
  if (second) await moveRun(own.ports, second.id, { kind: 'cancel', reason: 'operador' });
  now += 1_000;
  // The caller's clock is ahead: the event's time is at most that of its report.
  await reported(now + 3_600_000);
  expect((await runs())?.run).toMatchObject({ status: 'ativa', event: { at: now } });
});

test('a contact that starts to match a segment enters, at most ten times an hour; one that leaves it, or matches another, does not', async () => {
  const segmentId = newId('segment');
  const { contact, journey, runs, organizationId, env } = await withTrigger({ tipo: 'segmento', segmentId });
  const moved = { organizationId, env, contactId: contact.id, at: now, version: 3 };
  await enterMoved(own.ports)([
    { ...moved, kind: 'left', segmentId },
    { ...moved, kind: 'entered', segmentId: newId('segment') },
  ]);
  expect(await runs()).toBeUndefined();
  await enterMoved(own.ports)([{ ...moved, kind: 'entered', segmentId }]);
  expect((await runs())?.run.contactId).toBe(contact.id);
  // Steps change what segments ask for: the same bound as for tags.
  for (let version = 4; version < 16; version++) {
    const { run } = (await runs()) as StoredRun;
    await moveRun(own.ports, run.id, { kind: 'cancel', reason: 'operador' });
    now += 1_000;
    await enterMoved(own.ports)([{ ...moved, kind: 'entered', segmentId, version, at: now }]);
  }
  expect((await own.counts(journey))['']).toMatchObject({ entradas: 10 });
});

test('a tag lets a contact into the journeys that ask for it, and into no others', async () => {
  const { contact, runs, organizationId, env } = await withTrigger({ tipo: 'etiqueta', nome: 'vip' });
  const tagged = { organizationId, env, contactId: contact.id, version: 2, at: now };
  await signalTags(own.ports, { ...tagged, tags: ['novo'] });
  expect(await runs()).toBeUndefined();
  await signalTags(own.ports, { ...tagged, tags: ['novo', 'vip'] });
  expect((await runs())?.run.status).toBe('ativa');
});

test('journeys that trigger each other by tags come to an end, and start again an hour later', async () => {
  const outside = new Outside();
  const engine = journeysOver(table, () => now, outside);
  const tenant = await newOrganization(table);
  const [contact] = (await addContacts(table, tenant, 1)) as [Contact];
  const tagging = (by: string, puts: string) =>
    activeJourney(engine, tenant, {
      passos: [passo('etiqueta', { adicionar: puts, remover: by })],
      ligacoes: [],
      gatilho: { tipo: 'etiqueta', nome: by },
      reentrada: 'apos_concluir',
    });
  const journeys = [await tagging('a', 'b'), await tagging('b', 'a')];
  let version = 1;
  const tagged = (tag: string) => {
    now += 1_000;
    version += 1;
    return signalTags(engine.ports, { ...tenant, contactId: contact.id, version, tags: [tag], at: now });
  };
  /** Enters the contact, and has each run tag it for the other journey, until neither journey enters it any more. */
  const loop = async () => {
    let rounds = 0;
    for (let tag = 'a'; ; tag = tag === 'a' ? 'b' : 'a') {
      await tagged(tag);
      if ((await engine.work()) === 0) return rounds;
      if (++rounds > 100) throw new Error('the loop does not end');
    }
  };
  expect(await loop()).toBe(20);
  for (const journey of journeys) expect((await engine.counts(journey))['']).toMatchObject({ entradas: 10 });
  expect(await loop()).toBe(0);
  now += 3_600_000;
  expect(await loop()).toBe(20);
});
