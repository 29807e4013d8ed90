import { describe, expect, test } from 'vitest';
import { NumberSet } from '../../shared/domain/audience/number-set.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { deleteList } from '../../shared/domain/lists/lists.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { rowKey } from '../../shared/storage/due-work/rows-of-kind.ts';
import { cleanUpEdit } from '../../shared/storage/lists/clean-up.ts';
import { CLEAN_UP_MS } from '../../shared/storage/lists/edit-rows.ts';
import { membersAt, readList, readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { listsOfContact, removeContact } from '../../shared/storage/lists/unlisted-contacts.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { Crashed, crashingAt, tableWith } from './crashes.ts';
import { addPeople, deletePerson, type Lists, listsOver, newOrganization, type Person } from './stage.ts';

const world = await use(startWorld('test'));
const { table } = world;
let now = 1_000;
const clock = () => now;
const lists = listsOver(table, clock);
/** Writes of a call that adds to several chunks: the edit, the chunks, the list; the last are reached by none. */
const WRITES = [0, 1, 2, 3];

const cleanUp = async () => {
  now += CLEAN_UP_MS;
  for (const item of await overdue(table, 'clean_up', now, 10_000)) await cleanUpEdit(table, clock, rowKey(item));
};
/** The chunks of a list, in force or not. */
const chunksOf = async (id: Id<'list'>, chunks: readonly number[] = [0, 1, 2, 3]) => {
  const found = await Promise.all(
    chunks.map((chunk) => table.queryAll({ partition: KEYS.listChunk(id, chunk, '').pk, consistent: true })),
  );
  return found.flat().length;
};

const begin = async (numbers: readonly number[] = [1, 2, 3, 70_000, 70_001, 140_000]) => {
  const { organizationId } = await newOrganization(table);
  const [id, people] = [await lists.create(organizationId), await addPeople(table, organizationId, numbers)];
  const named = (some: readonly Person[]) => ({ externalIds: some.map(({ externalId }) => externalId) });
  return {
    organizationId,
    id,
    people,
    named,
    add: async (some: readonly Person[], over: Lists = lists) =>
      accepted(await over.edit(organizationId, id, 'add', named(some))),
    state: async () => ({
      members: [...((await readMembers(table, organizationId, id)) ?? [])],
      size: (await readList(table, organizationId, id))?.size,
    }),
  };
};
const crashed = (made: Promise<unknown>) =>
  made.then(
    () => false,
    (error: unknown) => {
      if (error instanceof Crashed) return true;
      throw error;
    },
  );
const over = (other: Table) => listsOver(other, clock);

describe('chunks that a list names no more', () => {
  test('can be read for five minutes, and are deleted then; those in force stay', async () => {
    const { organizationId, id, people, add, state } = await begin();
    await add(people.slice(0, 4));
    const before = await readList(table, organizationId, id);
    await add(people.slice(4));
    expect(await chunksOf(id)).toBe(4);
    if (!before) throw new Error('no list');
    expect((await membersAt(table, before))?.members.size).toBe(4);
    await cleanUp();
    expect(await chunksOf(id)).toBe(3);
    // A reader who is later than that reads the list again.
    expect((await membersAt(table, before))?.members.size).toBe(6);
    expect(await state()).toEqual({ members: [140_000, 70_001, 70_000, 3, 2, 1], size: 6 });
    await cleanUp();
    expect(await overdue(table, 'clean_up', now * 2, 100)).toEqual([]);
    // The edit that wrote them is forgotten by now: they are deleted by the one that took their place.
    await add(await addPeople(table, organizationId, [4, 70_002, 140_001]));
    await cleanUp();
    expect(await chunksOf(id)).toBe(3);
  });

  test('go with their list when it is deleted', async () => {
    const { organizationId, id, people, add } = await begin();
    await add(people);
    expect(await deleteList(lists.ports, { organizationId }, id)).toBeUndefined();
    await cleanUp();
    expect(await chunksOf(id)).toBe(0);
  });
});

describe.each(WRITES)('a call that ends at its write %i', (nth) => {
  test.each([false, true])('changed all or nothing, and what it left is deleted; made: %s', async (made) => {
    const { id, people, add, state } = await begin();
    await add(people.slice(0, 2));
    const ended = await crashed(add(people.slice(1), over(crashingAt(table, nth, made))));
    expect(ended).toBe(nth < 3);
    const { members, size } = await state();
    expect(members).toHaveLength(size ?? -1);
    expect([2, 6]).toContain(size);
    await cleanUp();
    expect(await state()).toEqual({ members, size });
    expect(await chunksOf(id)).toBe(size === 2 ? 1 : 3);
    await add(people.slice(1));
    expect((await state()).size).toBe(6);
  });
});

test('a call that continues after its remains were deleted does not make the list refer to deleted chunks', async () => {
  const { organizationId, id, people, named, state } = await begin();
  const paused = tableWith(table, async ({ args: [operation], make }) => {
    if (JSON.stringify(operation)?.includes('"recent"')) await cleanUp();
    return make();
  });
  const late = listsOver(paused, clock, 0).edit(organizationId, id, 'add', named(people));
  await expect(late).rejects.toThrow('The list changed at every attempt.');
  expect(await state()).toEqual({ members: [], size: 0 });
});

describe('a contact that is deleted', () => {
  test('leaves every list that it is in, and no other changes', async () => {
    const { organizationId, id, people, add, named, state } = await begin();
    const [gone, stays] = people as [Person, Person];
    await add([gone, stays]);
    const other = await lists.create(organizationId);
    await lists.edit(organizationId, other, 'add', named([gone]));
    await lists.create(organizationId);
    const inBoth = (await listsOfContact(table, organizationId, gone.number)).map((list) => list.id);
    expect(inBoth.toSorted()).toEqual([id, other].toSorted());
    await deletePerson(table, organizationId, gone);
    for (const _ of [1, 2]) await removeContact(table, clock, organizationId, { number: gone.number });
    expect(await state()).toEqual({ members: [stays.number], size: 1 });
    expect(await listsOfContact(table, organizationId, gone.number)).toEqual([]);
    expect((await readList(table, organizationId, other))?.size).toBe(0);
  });

  test.each(['add', 'replace'] as const)(
    'while a call has looked it up is not in the list afterwards: %s',
    async (edit) => {
      const { organizationId, id, people, named, state } = await begin();
      const [gone, ...others] = people as [Person, ...Person[]];
      const open = await lists.ports.members.open(organizationId, id);
      const found = await open?.find(named(people));
      await deletePerson(table, organizationId, gone);
      await removeContact(table, clock, organizationId, { number: gone.number });
      expect(await open?.commit(edit, found?.numbers ?? NumberSet.EMPTY)).toMatchObject({ total: 5 });
      expect(await state()).toEqual({ members: others.map(({ number }) => number).toReversed(), size: 5 });
    },
  );

  test('while a crashed call had looked it up is removed by the clean-up', async () => {
    const { organizationId, id, people, named, state } = await begin();
    const [gone] = people as [Person];
    const open = await over(crashingAt(table, 2, true)).ports.members.open(organizationId, id);
    const found = await open?.find(named([gone]));
    await deletePerson(table, organizationId, gone);
    await removeContact(table, clock, organizationId, { number: gone.number });
    expect(found && (await crashed(open?.commit('add', found.numbers) ?? Promise.resolve()))).toBe(true);
    expect((await state()).size).toBe(1);
    await cleanUp();
    expect(await state()).toEqual({ members: [], size: 0 });
  });
});
