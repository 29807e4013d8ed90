import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { changeContact } from '../../shared/domain/contacts/change.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { activateJourney } from '../../shared/domain/journeys/activate.ts';
import { signalTags } from '../../shared/domain/journeys/triggers.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { taggedRows } from '../../shared/storage/automation/tagged-contacts.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { draft } from '../storage/journeys-kit.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { passo } from '../support/journeys/build.ts';
import { indexesUpToDate } from '../support/table-engine.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { addContacts, journeysOver, Outside } from './stage.ts';

const world = await use(startWorld('test'));
const { table } = world;
const clock = () => world.now;
const own = journeysOver(table, clock, new Outside());

/** Activates the first journey of an organization, which is one of a tag, with an edit that puts the tag on a contact at a moment of that. */
const activatedWith = async (moment: 'before' | 'during' | 'refused') => {
  world.now += 60_000;
  const actor = await world.organization(1, false);
  const [contact] = (await addContacts(table, actor, 1)) as [Contact];
  const { id } = await draft(table, actor, {
    gatilho: { tipo: 'etiqueta', nome: 'vip' },
    passos: [passo('esperar', { dias: 1 })],
  });
  const ports = { ...contactPortsOf(world, createVault(randomBytes(32))), store: contactStore(table, () => {}) };
  const edit = async () => accepted(await changeContact(ports, actor, contact.id, { tags: ['vip'] }));
  if (moment === 'before') await edit();
  world.now += 1_000;
  const save: typeof own.journeys.save = async (change) => {
    world.now += 10;
    await edit();
    return moment === 'refused' ? 'conflict' : own.journeys.save(change);
  };
  const store = moment === 'before' ? own.journeys : { ...own.journeys, save };
  const activated = activateJourney(
    { clock, store, enqueue: () => {}, check: async () => undefined },
    actor,
    id,
    false,
  );
  return { actor, id, contact, activated };
};
/** Notifies journeys of the recorded tags; returns how many contacts had some. */
const tell = async (): Promise<number> => {
  await indexesUpToDate();
  const items = await overdue(table, 'journey_signal', world.now, 100);
  for (const item of items) {
    const row = await table.get(item);
    if (row) await signalTags(own.ports, taggedRows.read(row));
    await table.write({ delete: { pk: item.pk, sk: item.sk } });
  }
  return items.length;
};

test('a contact that gets the tag while its journey is being activated enters, though the edit saw no trigger that is active', async () => {
  const { id, contact, activated } = await activatedWith('during');
  const { journey } = accepted(await activated);
  expect(await tell()).toBe(1);
  expect((await own.runsOf(journey, contact.id))?.run).toMatchObject({ journeyId: id, status: 'ativa' });
});

test('a contact that got the tag before the activation does not enter', async () => {
  const { contact, activated } = await activatedWith('before');
  const { journey } = accepted(await activated);
  await tell();
  expect(await own.runsOf(journey, contact.id)).toBeUndefined();
});

test('an announced activation that did not happen enters no contact, and its trigger expires', async () => {
  const { actor, id, contact, activated } = await activatedWith('refused');
  await expect(activated).rejects.toThrow();
  await tell();
  const journey = await own.journeys.find(id);
  expect(journey && (await own.runsOf(journey, contact.id))).toBeUndefined();
  expect(await table.get(KEYS.journeyTrigger(actor.organizationId, 'etiqueta', 'vip', id))).toHaveProperty('ttl');
});

test('a trigger that was only announced when read enters no contact tagged before the activation', async () => {
  const { actor, id, contact, activated } = await activatedWith('refused');
  await expect(activated).rejects.toThrow();
  const { organizationId, env } = actor;
  const tagged = { organizationId, env, contactId: contact.id, version: 2, tags: ['vip'], at: world.now };
  world.now += 1_000;
  const ports = { clock, store: own.journeys, enqueue: () => {}, check: async () => undefined };
  const triggers: typeof own.journeys.triggers = async (...of) => {
    const read = await own.journeys.triggers(...of);
    accepted(await activateJourney(ports, actor, id, false));
    return read;
  };
  await signalTags({ ...own.ports, triggers }, tagged);
  const journey = await own.journeys.find(id);
  expect(journey?.status).toBe('ativa');
  expect(journey && (await own.runsOf(journey, contact.id))).toBeUndefined();
});
