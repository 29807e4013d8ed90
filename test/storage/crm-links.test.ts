import { describe, expect, test } from 'vitest';
import { createActivity } from '../../shared/domain/activities/activities.ts';
import { deleteContact, eraseContact } from '../../shared/domain/contacts/erase.ts';
import { mergeContacts, moveMerged } from '../../shared/domain/contacts/merge.ts';
import { CHECK_AGAIN_MS, clearLinks } from '../../shared/domain/core/clear-links.ts';
import { isRefusal } from '../../shared/domain/core/errors.ts';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { mapConcurrently } from '../../shared/domain/core/map-concurrently.ts';
import { readCount } from '../../shared/storage/access/counters.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import {
  clearActivityCompany,
  clearActivityContact,
  deleteCardActivities,
  deleteCardRows,
} from '../../shared/storage/activities/sweeps.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import {
  expireTombstone,
  readTombstone,
  readTombstones,
  rescheduleTombstone,
  tombstoneWrite,
} from '../../shared/storage/crm/tombstones.ts';
import { accepted } from '../support/accepted.ts';
import { crashEverywhere } from '../support/crashing-table.ts';
import { shareOf } from '../support/share.ts';
import { use } from '../support/use.ts';
import { activityStage } from './activity-stage.ts';

const stage = await use(activityStage());
const { world } = stage;
const org = () => stage.actor.organizationId;
let phones = 1_000;
const person = () => stage.create({ phone: `+55119888${String(++phones).padStart(5, '0')}` });
const erasingOver = (table: Table) => {
  const erasing = stage.erasingOver(table);
  return { ...erasing, sweeps: [...erasing.sweeps, clearActivityContact(table)] };
};
const remove = (id: Id<'contact'>) => deleteContact(erasingOver(world.table), stage.actor, id);
const erase = (id: Id<'contact'>, table = world.table) => eraseContact(erasingOver(table), id);
/** As it is stored: reads leave links out that are not cleared yet. */
const storedContact = async (id: Id<'activity'>) => (await world.table.get(KEYS.activity(id)))?.contactId;
const shownContact = async (id: Id<'activity'>) => (await stage.activityNow(id))?.contactId;
const upTo = (count: number): number[] => Array.from({ length: count }, (_, nth) => nth);
const many = (count: number, fields: Parameters<typeof stage.act>[0]) =>
  mapConcurrently(upTo(count), 4, (nth) => stage.act({ ...fields, concluida: nth % 3 === 0 }));

const removedObjects: string[] = [];
/** A worker's work on a tombstone. */
const work = (id: Id<'card'> | Id<'company'>, table = world.table) => {
  const bucket = () => ({ remove: async (key: string) => void removedObjects.push(key) });
  const sweeps = id.startsWith('crd_')
    ? [deleteCardActivities(table), deleteCardRows(table, bucket)]
    : [clearActivityCompany(table)];
  return clearLinks(
    {
      clock: () => world.now,
      sweeps,
      read: (organizationId, of) => readTombstone(table, organizationId, of),
      reschedule: (gone, at, isCleared) => rescheduleTombstone(table, gone, at, isCleared),
      expire: (gone, now) => expireTombstone(table, gone, now),
      enqueue: () => {},
    },
    org(),
    id,
  );
};

describe('the activities of a deleted contact', () => {
  test('show no contact from the answer on, and name none once its 300 links are cleared, wherever a worker ends', async () => {
    const { id } = await person();
    const activities = await many(300, { contatoId: id });
    await remove(id);
    expect(await Promise.all(activities.slice(0, 20).map((each) => shownContact(each.id)))).toEqual(
      Array(20).fill(undefined),
    );
    expect((await stage.listed({ contactId: id })).total).toBe(0);
    expect(
      (await stage.listed({}, { skip: 0, limit: 200 })).items.every(({ contactId }) => contactId === undefined),
    ).toBe(true);
    await crashEverywhere(world.table, (table) => erase(id, table));
    const left = await mapConcurrently(activities, 8, (each) => storedContact(each.id));
    expect(left.filter((each) => each !== undefined)).toEqual([]);
    expect((await stage.listed()).total).toBe(300);
  });

  test('are not named again by a change that read them before', async () => {
    const { id } = await person();
    const { id: activityId } = await stage.act({ contatoId: id });
    const before = (await stage.activityNow(activityId)) ?? expect.fail('an activity');
    await remove(id);
    await erase(id);
    const after = { ...before, title: 'Escrever', version: before.version + 1 };
    expect(await stage.activityPorts.store.change(before, after)).toBe('conflict');
    expect(await storedContact(activityId)).toBeUndefined();
  });

  test('have a tombstone until the last pass found nothing', async () => {
    const { id } = await person();
    await stage.act({ contatoId: id });
    await remove(id);
    await erase(id);
    expect((await world.table.get(KEYS.tombstone(org(), id)))?.ttl).toBeUndefined();
    world.now += CHECK_AGAIN_MS;
    await erase(id);
    expect((await world.table.get(KEYS.tombstone(org(), id)))?.ttl).toBeGreaterThan(world.now / 1_000);
  });
});

describe('the activities of a merged contact', () => {
  test('are shown with the contact that it became, and name it in the end, wherever a worker ends', async () => {
    const [target, duplicate] = [await person(), await person()];
    const activities = await many(60, { contatoId: duplicate.id });
    accepted(await mergeContacts(stage.ports, stage.actor, target.id, duplicate.id));
    const [first] = activities;
    expect(await shownContact(first?.id ?? expect.fail('an activity'))).toBe(target.id);
    await crashEverywhere(world.table, (table) => moveMerged(stage.portsOver(table), duplicate.id));
    const stored = await mapConcurrently(activities, 8, (each) => storedContact(each.id));
    expect(new Set(stored)).toEqual(new Set([target.id]));
    expect((await stage.listed({ contactId: target.id })).total).toBe(60);
    world.now += CHECK_AGAIN_MS;
    await moveMerged(stage.ports, duplicate.id);
    expect((await world.table.get(KEYS.tombstone(org(), duplicate.id)))?.ttl).toBeGreaterThan(world.now / 1_000);
  });

  test('lose it with the contact that it became, whether or not they had followed', async () => {
    const [target, duplicate] = [await person(), await person()];
    const [before] = await many(1, { contatoId: duplicate.id });
    accepted(await mergeContacts(stage.ports, stage.actor, target.id, duplicate.id));
    await remove(target.id);
    const { id } = before ?? expect.fail('an activity');
    expect(await shownContact(id)).toBeUndefined();
    await moveMerged(stage.ports, duplicate.id);
    for (const each of [target.id, duplicate.id]) await erase(each);
    expect(await storedContact(id)).toBeUndefined();
  });
});

describe('a deleted card', () => {
  test('takes its activities, files and history with it, wherever a worker ends, and no others', async () => {
    const [cardId, other] = [await stage.makeCard(), await stage.makeCard()];
    await Promise.all([many(30, { cardId }), many(30, { cardId: other })]);
    const about = { organizationId: org(), cardId, name: 'a.pdf', mimeType: 'application/pdf', size: 1, sha256: 'x' };
    const files = Array.from({ length: 5 }, () => newId('cardFile'));
    await world.table.putMany([
      ...files.map((id) => ({
        ...KEYS.cardFile(cardId, id),
        ...about,
        org: org(),
        id,
        createdById: newId('account'),
        createdAt: new Date(0).toISOString(),
      })),
      { ...KEYS.cardFileCount(cardId), count: 5 },
      KEYS.cardHistory(cardId, '2026'),
    ]);
    await stage.removeCard(cardId);
    expect((await stage.listed()).total).toBe(30);
    await crashEverywhere(world.table, (table) => work(cardId, table));
    const counts = await Promise.all(
      (['openActivities', 'doneActivities'] as const).map((each) => readCount(world.table, org(), each)),
    );
    expect(counts).toEqual([20, 10]);
    expect((await stage.listed()).total).toBe(30);
    expect(await world.table.queryAll({ partition: KEYS.card(cardId).pk })).toEqual([]);
    expect(new Set(removedObjects.filter((key) => key.includes(cardId)))).toEqual(
      new Set(files.map((id) => `cards/${org()}/${cardId}/${id}`)),
    );
    const tombstones = await readTombstones(world.table, org(), [cardId]);
    expect(tombstones.has(cardId)).toBe(true);
  });
});

describe('a deleted company', () => {
  test('is taken from its activities, which stay', async () => {
    const empresaId = await stage.makeCompany();
    const activities = await Promise.all(Array.from({ length: 10 }, () => stage.act({ empresaId })));
    await world.table.transact([tombstoneWrite({ organizationId: org(), id: empresaId, at: world.now })]);
    expect((await stage.listed({ companyId: empresaId })).total).toBe(0);
    await crashEverywhere(world.table, (table) => work(empresaId, table));
    for (const { id } of activities) expect((await world.table.get(KEYS.activity(id)))?.campaignId).toBeUndefined();
    expect((await stage.listed()).total).toBe(10);
  });
});

describe('a link that is made while what it names is deleted', () => {
  const rounds = shareOf(200);
  const make = (fields: Parameters<typeof stage.act>[0]) =>
    createActivity(stage.activityPorts, stage.actor, { tipo: 'outro', titulo: 'x', ...fields });

  test(`is refused or cleared, never left: ${rounds} rounds with a contact`, async () => {
    await mapConcurrently(upTo(rounds), 8, async () => {
      const { id } = await person();
      const [made, made2] = await Promise.all([make({ contatoId: id }), make({ contatoId: id }), remove(id)]);
      await erase(id);
      for (const outcome of [made, made2]) {
        if (isRefusal(outcome)) continue;
        expect(await shownContact(outcome.id)).toBeUndefined();
        expect(await storedContact(outcome.id)).toBeUndefined();
      }
    });
  }, 600_000);

  test(`is refused or deleted, never left: ${rounds} rounds with a card`, async () => {
    await mapConcurrently(upTo(rounds), 8, async () => {
      const cardId = await stage.makeCard();
      const [made] = await Promise.all([make({ cardId }), stage.removeCard(cardId)]);
      await work(cardId);
      if (isRefusal(made)) return;
      expect(await stage.activityNow(made.id)).toBeUndefined();
      expect(await world.table.get(KEYS.activity(made.id))).toBeUndefined();
    });
  }, 600_000);
});
