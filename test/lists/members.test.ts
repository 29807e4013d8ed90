import { describe, expect, test } from 'vitest';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { Membership } from '../../shared/domain/lists/members.ts';
import { readMembers } from '../../shared/storage/lists/stored-lists.ts';
import { accepted } from '../support/accepted.ts';
import { FAULTS } from '../support/fault-proxy.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { addPeople, listsOver, newOrganization } from './stage.ts';

const world = await use(startWorld('test'));
const { table } = world;
const lists = listsOver(table);

/** An organization with a list, and contacts in several chunks. */
const begin = async (numbers: readonly number[] = [1, 2, 3, 65_536, 65_537, 200_000]) => {
  const { organizationId } = await newOrganization(table);
  const [id, people] = [await lists.create(organizationId), await addPeople(table, organizationId, numbers)];
  const edit = async (...call: Parameters<typeof lists.edit> extends [unknown, unknown, ...infer R] ? R : never) =>
    accepted(await lists.edit(organizationId, id, ...call)) as Membership;
  const members = async () => [...((await readMembers(table, organizationId, id)) ?? [])];
  const size = async () => (await lists.ports.store.read(organizationId, id))?.size;
  return { organizationId, id, people, edit, members, size };
};
const idsOf = (people: readonly { readonly externalId: string }[]) => people.map(({ externalId }) => externalId);

describe('the members of a list', () => {
  test('are those that were added by identifiers of any kind, each counted once however often it is named', async () => {
    const { id, people, edit, members, size } = await begin();
    const [a, b, c, d] = people as [(typeof people)[0], (typeof people)[0], (typeof people)[0], (typeof people)[0]];
    const named = {
      externalIds: [a.externalId, a.externalId, b.externalId],
      contactIds: [a.id, c.id, c.id],
      phones: [a.phone, d.phone],
    };
    expect(await edit('add', named)).toEqual({
      listId: id,
      matched: 4,
      added: 4,
      removed: 0,
      total: 4,
      notFoundCount: 0,
      notFound: { externalIds: [], contactIds: [], phones: [] },
    });
    expect(await edit('add', { phones: [b.phone], externalIds: [people[5]?.externalId ?? ''] })).toMatchObject({
      matched: 2,
      added: 1,
      total: 5,
    });
    expect(await members()).toEqual([200_000, 65_536, 3, 2, 1]);
    expect(await size()).toBe(5);
  });

  test('leave by removal, and by a replacement that does not name them; who was not in it counts in neither', async () => {
    const { people, edit, members, size } = await begin();
    await edit('add', { externalIds: idsOf(people.slice(0, 5)) });
    const leaving = { externalIds: idsOf([...people.slice(0, 2), ...people.slice(5)]) };
    expect(await edit('remove', leaving)).toMatchObject({ matched: 3, added: 0, removed: 2, total: 3 });
    const exactly = { externalIds: idsOf(people.slice(3)) };
    expect(await edit('replace', exactly)).toMatchObject({ matched: 3, added: 1, removed: 1, total: 3 });
    expect(await members()).toEqual([200_000, 65_537, 65_536]);
    expect(await edit('remove', exactly)).toMatchObject({ removed: 3, total: 0 });
    expect([await members(), await size()]).toEqual([[], 0]);
  });

  test('that do not exist are listed by kind, at most a hundred each, and counted exactly', async () => {
    const { people, edit } = await begin();
    const foreign = await begin();
    const strangers = [foreign.people[0]?.id ?? '', newId('contact'), 'no id', '__proto__'];
    const absent = Array.from({ length: 150 }, (_, at) => `absent:${at}`);
    const outcome = await edit('add', {
      externalIds: [...absent, 'loja:1', 'absent:3'],
      contactIds: strangers,
      phones: ['+5511000000000', 'ligue já', people[1]?.phone ?? ''],
    });
    expect(outcome).toMatchObject({ matched: 2, added: 2, total: 2, notFoundCount: 156 });
    expect(outcome.notFound).toEqual({
      externalIds: absent.slice(0, 100),
      contactIds: strangers,
      phones: ['+5511000000000', 'ligue já'],
    });
  });

  test('of a phone that opted out and belongs to no contact are none', async () => {
    const { organizationId, people, edit } = await begin();
    const [{ phone }] = people as [(typeof people)[0]];
    await table.write({
      update: { pk: `PHONE#${organizationId}#${organizationId}-phone-${phone}`, sk: 'PHONE' },
      set: { optInStatus: 'denied' },
      remove: ['contactId', 'contactNumber'],
    });
    expect(await edit('add', { phones: [phone] })).toMatchObject({ matched: 0, notFoundCount: 1 });
  });

  test('are unchanged by a replacement that names no contact, and by an empty one', async () => {
    const { organizationId, id, people, edit, members } = await begin();
    await edit('add', { externalIds: idsOf(people) });
    for (const named of [{ externalIds: ['absent'], phones: [] }, {}]) {
      const refusal = await lists.edit(organizationId, id, 'replace', named);
      expect(refusal).toMatchObject({ name: 'VALIDATION_ERROR' });
    }
    expect(await edit('remove', {})).toMatchObject({ matched: 0, removed: 0, total: 6 });
    expect(await members()).toHaveLength(6);
  });

  test('are of their own organization alone', async () => {
    const [mine, theirs] = [await begin(), await begin()];
    const refusal = await lists.edit(mine.organizationId, theirs.id, 'add', { externalIds: idsOf(mine.people) });
    expect(isRefusal(refusal) && refusal.name).toBe('NOT_FOUND');
    expect(await theirs.size()).toBe(0);
    expect(await readMembers(table, mine.organizationId, theirs.id)).toBeUndefined();
  });

  test('count as added once when the answer to the change is lost, despite concurrent changes of the list', async () => {
    const { people, edit, size } = await begin();
    for (const [at, person] of people.entries()) {
      let lost = false;
      world.proxy.plan(({ action, body }) => {
        if (lost || action !== 'UpdateItem' || !body.includes('recent')) return undefined;
        lost = true;
        return FAULTS.loseAnswer;
      });
      expect(await edit('add', { externalIds: [person.externalId] })).toMatchObject({ added: 1, total: at + 1 });
      expect(lost).toBe(true);
    }
    world.proxy.plan(undefined);
    expect(await size()).toBe(people.length);
  });

  test('of a call that changes nothing are not written', async () => {
    const { people, edit } = await begin();
    await edit('add', { externalIds: idsOf(people) });
    const calls = await world.proxy.callsOf(() => edit('add', { externalIds: idsOf(people) }));
    expect(calls).toEqual({ BatchGetItem: 3, Query: 1 });
  });
});
