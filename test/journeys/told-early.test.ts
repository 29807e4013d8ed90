import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { NumberSet } from '../../shared/domain/audience/number-set.ts';
import type { NewContact } from '../../shared/domain/contacts/create.ts';
import { importContacts } from '../../shared/domain/contacts/import.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { WireTrigger } from '../../shared/domain/journeys/definition.ts';
import type { Publishable } from '../../shared/queues/queues.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { contactStore } from '../../shared/storage/contacts/contact-store.ts';
import { importStore } from '../../shared/storage/contacts/import-store.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { editList, memberEdit } from '../../shared/storage/lists/edit-list.ts';
import { joinedBelow, readJoin } from '../../shared/storage/lists/list-joins.ts';
import { readList } from '../../shared/storage/lists/stored-lists.ts';
import { tableWith } from '../lists/crashes.ts';
import { listsOver } from '../lists/stage.ts';
import { accepted } from '../support/accepted.ts';
import { contactPortsOf } from '../support/contacts.ts';
import { passo } from '../support/journeys/build.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { activeJourney, journeysOver, Outside } from './stage.ts';

const world = await use(startWorld('test'));
const { table } = world;
const clock = () => world.now;
const own = journeysOver(table, clock, new Outside());

const withTrigger = async (gatilhoOf: (listId: Id<'list'>) => WireTrigger) => {
  const actor = await world.organization(1, false);
  const { organizationId } = actor;
  const listId = await listsOver(table, clock).create(organizationId);
  await activeJourney(own, actor, { gatilho: gatilhoOf(listId), passos: [passo('sair', {})], ligacoes: [] });
  const reported: Publishable[] = [];
  const tell = (items: readonly Publishable[]) => void reported.push(...items);
  /** The due rows of a kind of this organization are exactly the published ones. */
  const checkReported = async (kind: 'journey_signal' | 'journey_work', count: number) => {
    const due = await overdue(table, kind, world.now, 1_000);
    const names = new Set(due.map(({ pk, sk }) => `${pk} ${sk}`));
    expect(reported).toHaveLength(count);
    for (const { pk, sk, ...rest } of reported) {
      expect(rest).toEqual({ kind, owner: organizationId });
      expect(names).toContain(`${pk} ${sk}`);
    }
  };
  return { actor, organizationId, listId, reported, tell, checkReported };
};

test('an edit immediately notifies journeys of contacts that join a triggering list, and of no others', async () => {
  const { organizationId, listId, tell, checkReported } = await withTrigger((id) => ({ tipo: 'lista', listId: id }));
  const edit = async (kind: 'add' | 'remove', ...numbers: number[]) => {
    const list = await readList(table, organizationId, listId);
    if (!list) throw new Error('no list');
    const editing = { table, clock, mayRetry: () => false, onWorkItems: tell };
    await editList(editing, list, memberEdit(kind, NumberSet.of(numbers)));
  };
  await edit('add', 1, 2);
  await checkReported('journey_work', 1);
  await edit('add', 2);
  await edit('remove', 1);
  await checkReported('journey_work', 1);
  await edit('add', 1);
  await checkReported('journey_work', 2);
});

test('a contact that joins a list by an edit concurrent with an activation is reported: the edit was committed after it', async () => {
  const actor = await world.organization(1, false);
  const { organizationId } = actor;
  const listId = await listsOver(table, clock).create(organizationId);
  const activate = () =>
    activeJourney(own, actor, { gatilho: { tipo: 'lista', listId }, passos: [passo('sair', {})], ligacoes: [] });
  const { pk } = KEYS.list(organizationId, listId);
  let isActive = false;
  const overtaken = tableWith(table, async ({ name, args: [write], make }) => {
    const commits = name === 'write' && JSON.stringify(write).includes(pk) && JSON.stringify(write).includes('recent');
    if (commits && !isActive) {
      isActive = true;
      await activate();
    }
    return make();
  });
  const list = await readList(table, organizationId, listId);
  if (!list) throw new Error('no list');
  const reported: Publishable[] = [];
  const tell = (items: readonly Publishable[]) => void reported.push(...items);
  const editing = { table: overtaken, clock, mayRetry: () => false, onWorkItems: tell };
  await editList(editing, list, memberEdit('add', NumberSet.of([7])));
  expect(isActive).toBe(true);
  expect(reported).toHaveLength(1);
  const [join] = await Promise.all(reported.map((item) => readJoin(table, item)));
  expect(join).toMatchObject({ listId, at: world.now });
  expect(join && (await joinedBelow(table, join, 10))).toEqual([7]);
});

test('an import immediately notifies journeys of contacts that get a triggering tag', async () => {
  const { actor, tell, checkReported } = await withTrigger(() => ({ tipo: 'etiqueta', nome: 'vip' }));
  const contacts = contactPortsOf(world, createVault(randomBytes(32)));
  const store = {
    ...contactStore(table, () => {}),
    ...importStore(
      table,
      () => {},
      () => {},
      tell,
    ),
  };
  const rows = [['vip'], ['novo'], ['novo', 'vip']].map((tags, at) => ({ phone: `+55119600000${at + 10}`, tags }));
  const contatos = rows.map((row) => ({ valid: row as Partial<NewContact> as NewContact }));
  const imported = async () =>
    accepted(await importContacts({ ...contacts, store }, actor, { contatos, onConflict: 'update' }));
  expect(await imported()).toMatchObject({ criados: 3 });
  await checkReported('journey_signal', 2);
  await imported();
  await checkReported('journey_signal', 2);
});
