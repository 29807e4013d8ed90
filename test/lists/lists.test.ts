import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { allLists, changeList, createList, deleteList, findList } from '../../shared/domain/lists/lists.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS, onTransactions } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { addPeople, listsOver, newOrganization } from './stage.ts';

const world = await use(startWorld('test'));
const { table } = world;
let now = 1_000;
const { ports, create, edit } = listsOver(table, () => now);

const nameOf = (outcome: unknown) => (isRefusal(outcome) ? outcome.name : outcome);
const loseNextAnswer = () => world.proxy.plan(onTransactions(FAULTS.loseAnswer, { last: 0 }));

describe('lists', () => {
  test('are all answered, the newest first, as the calls before left them', async () => {
    const owner = await newOrganization(table);
    const ids: Awaited<ReturnType<typeof create>>[] = [];
    for (const name of ['b', 'a', 'c']) {
      now++;
      ids.push(await create(owner.organizationId, name));
    }
    await create((await newOrganization(table)).organizationId, 'of another');
    const calls = await world.proxy.callsOf(async () => {
      expect((await allLists(ports, owner)).map(({ id }) => id)).toEqual(ids.toReversed());
    });
    expect(calls).toEqual({ Query: 1 });
  });

  test('have names that are unique whatever their case, and differ by accents', async () => {
    const owner = await newOrganization(table);
    const id = await create(owner.organizationId, 'Avó VIP');
    const repeated = await createList(ports, owner, { name: 'AVO\u0301 vip' });
    expect(repeated).toMatchObject({ name: 'CONFLICT', details: { meta: { field: 'name', listId: id } } });
    await create(owner.organizationId, 'Avô VIP');
    await create((await newOrganization(table)).organizationId, 'Avó VIP');
  });

  test('created concurrently with one name are one, and so are renames to one name', async () => {
    const owner = await newOrganization(table);
    const made = await Promise.all(Array.from({ length: 20 }, () => createList(ports, owner, { name: 'um' })));
    expect(made.filter((each) => !isRefusal(each))).toHaveLength(1);
    expect(new Set(made.filter(isRefusal).map(nameOf))).toEqual(new Set(['CONFLICT']));
    const others = await Promise.all(['dois', 'três', 'quatro'].map((name) => create(owner.organizationId, name)));
    const renamed = await Promise.all(others.map((id) => changeList(ports, owner, id, { name: 'Novo' })));
    expect(renamed.filter((each) => !isRefusal(each))).toHaveLength(1);
    expect((await allLists(ports, owner)).filter(({ name }) => name === 'Novo')).toHaveLength(1);
  });

  test('free the names that they give up, and keep them where only the case changes', async () => {
    const owner = await newOrganization(table);
    const id = await create(owner.organizationId, 'um');
    expect(accepted(await changeList(ports, owner, id, { name: 'UM' })).name).toBe('UM');
    expect(nameOf(await createList(ports, owner, { name: 'um' }))).toBe('CONFLICT');
    accepted(await changeList(ports, owner, id, { name: 'dois' }));
    const again = await create(owner.organizationId, 'um');
    expect(await deleteList(ports, owner, again)).toBeUndefined();
    await create(owner.organizationId, 'um');
  });

  test('are described, and no more by null; other fields and members stay', async () => {
    const owner = await newOrganization(table);
    const list = accepted(await createList(ports, owner, { name: 'um', description: 'Um texto' }));
    await addPeople(table, owner.organizationId, [1]);
    await edit(owner.organizationId, list.id, 'add', { externalIds: ['loja:1'] });
    now += 5;
    const changed = accepted(await changeList(ports, owner, list.id, { description: null }));
    expect(changed).toMatchObject({ name: 'um', description: undefined, size: 1, updatedAt: now });
    expect(await findList(ports, owner, list.id)).toMatchObject({ name: 'um', size: 1, updatedAt: now });
    expect(accepted(await findList(ports, owner, list.id)).description).toBeUndefined();
  });

  test('are created, changed and deleted once when the answer to the commit is lost', async () => {
    const owner = await newOrganization(table);
    loseNextAnswer();
    const id = await create(owner.organizationId, 'um');
    loseNextAnswer();
    expect(accepted(await changeList(ports, owner, id, { name: 'dois' })).name).toBe('dois');
    await create(owner.organizationId, 'um');
    loseNextAnswer();
    expect(await deleteList(ports, owner, id)).toBeUndefined();
    expect(nameOf(await deleteList(ports, owner, id))).toBe('NOT_FOUND');
    expect(await allLists(ports, owner)).toHaveLength(1);
  });

  test('of an organization are 1,000 at most, and one more when one was deleted', async () => {
    const owner = await newOrganization(table);
    const ids = await Promise.all(Array.from({ length: 1_000 }, (_, at) => create(owner.organizationId, `${at}`)));
    expect(nameOf(await createList(ports, owner, { name: 'one more' }))).toBe('CONFLICT');
    expect(await deleteList(ports, owner, ids[0] ?? newId('list'))).toBeUndefined();
    await create(owner.organizationId, 'one more');
    expect(await allLists(ports, owner)).toHaveLength(1_000);
  });

  test('of another organization, and of none, are not found', async () => {
    const [owner, other] = [await newOrganization(table), await newOrganization(table)];
    const id = await create(owner.organizationId, 'um');
    expect(nameOf(await findList(ports, other, id))).toBe('NOT_FOUND');
    expect(nameOf(await changeList(ports, other, id, { name: 'meu' }))).toBe('NOT_FOUND');
    expect(nameOf(await deleteList(ports, other, id))).toBe('NOT_FOUND');
    const nowhere = { organizationId: newId('organization') };
    expect(nameOf(await createList(ports, nowhere, { name: 'um' }))).toBe('NOT_FOUND');
  });
});
