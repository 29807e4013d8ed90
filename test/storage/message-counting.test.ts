import { expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Key } from '../../shared/storage/client/row.ts';
import { overdue } from '../../shared/storage/due-work/due.ts';
import { countListOn } from '../../shared/storage/messages/count-list.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { DAY, expected, FILTERS, fill, filteredLists, type Kit, matching } from './filtered-lists.ts';

const world = await use(startWorld('live'));
const FAILED = { status: 'failed' } as const;

/** The lists of an organization that are due to be counted. */
const due = async ({ actor }: Kit): Promise<Key[]> =>
  (await overdue(world.table, 'count_list', world.now, 1_000)).filter(({ pk }) => pk.includes(actor.organizationId));
/** Counts a list to its end, in passes of so many entries; answers how many there were. */
const countAll = async ({ reading }: Kit, key: Key, entries: number): Promise<number> => {
  let passes = 1;
  for (; await countListOn(reading, key, entries); passes++) expect(passes).toBeLessThan(100);
  return passes;
};

/** A list of 40 days, of which an answer counts 20 messages. */
const long = async () => {
  const kit = await filteredLists(world, 20);
  const messages = [...(await fill(kit, 300, 40 * DAY)), kit.base];
  return { kit, messages };
};

test('an answer that leaves a part of a list uncounted has the rest counted, in passes, and later answers leave none', async () => {
  const { kit, messages } = await long();
  expect(await kit.total(FAILED)).toBe(expected(messages, FAILED));
  const [key, ...others] = await due(kit);
  expect(others).toEqual([]);
  expect(await countAll(kit, key as Key, 20)).toBeGreaterThan(2);
  expect(await due(kit)).toEqual([]);
  expect(await world.table.get(key as Key)).toBeUndefined();
  for (const filter of FILTERS.filter(({ batchId, campaignId }) => !batchId && !campaignId))
    expect(await kit.total(filter)).toBe(expected(messages, filter));
  expect(await due(kit)).toEqual([]);
});

test('totals and pages are what a plain filter finds between all passes, while messages change', async () => {
  const { kit, messages } = await long();
  const byId = new Map(messages.map((message) => [message.id, message]));
  const change = async (at: number) => {
    const id = messages[at]?.id as MessageRecord['id'];
    await kit.advance(id, 'read');
    byId.set(id, await kit.read(id));
  };
  await kit.total(FAILED);
  const [key] = await due(kit);
  for (let at = 0; await countListOn(kit.reading, key as Key, 60); at += 7) {
    await change(at);
    for (const filter of [FAILED, { status: 'read' }] as const)
      expect(await kit.total(filter)).toBe(expected(byId.values(), filter));
  }
  await change(290);
  expect(await kit.total({ status: 'read' })).toBe(expected(byId.values(), { status: 'read' }));
});

test('passes at once, and a pass that is repeated after its end, change nothing', async () => {
  const { kit, messages } = await long();
  await kit.total(FAILED);
  const [key] = await due(kit);
  await Promise.all(Array.from({ length: 4 }, () => countListOn(kit.reading, key as Key, 60)));
  await countAll(kit, key as Key, 60);
  expect(await countListOn(kit.reading, key as Key, 60)).toBe(false);
  expect(await world.table.get(key as Key)).toBeUndefined();
  expect(await kit.total(FAILED)).toBe(expected(messages, FAILED));
});

test('shards that a list got after it was asked for are counted too', async () => {
  const { kit, messages } = await long();
  await kit.total(FAILED);
  const [key] = await due(kit);
  await world.table.write({ update: KEYS.wallet(kit.actor.organizationId), set: { ledgers: 3 } });
  const added = await kit.add(world.now - 2 * DAY, { status: 'failed', lane: 3 } as Partial<MessageRecord>);
  await countAll(kit, key as Key, 60);
  expect(await kit.total(FAILED)).toBe(expected([...messages, added], FAILED));
});

/** A list of 40 days with a crowded one: 120 messages, in two shards, twenty in a ms, more than a pass of ten; three of them failed. */
const crowded = async () => {
  const kit = await filteredLists(world, 20);
  const messages = [...(await fill(kit, 80, 40 * DAY)), kit.base];
  const from = Math.floor((world.now - 36 * DAY) / DAY) * DAY + DAY / 2;
  const many: MessageRecord[] = [];
  for (let at = 0; at < 120; at++)
    many.push(
      await kit.add(from + Math.floor(at / 20), {
        status: at % 40 === 7 ? 'failed' : 'sent',
        lane: at % 7 === 0 ? 1 : 0,
      }),
    );
  expect(await kit.total(FAILED)).toBe(expected([...messages, ...many], FAILED));
  const [key] = await due(kit);
  return { kit, key: key as Key, messages: [...messages, ...many], many, day: isoTime(from - DAY / 2) };
};
const storedOf = async ({ actor }: Kit, what: string, day: string) =>
  world.table.get(KEYS.listCount(`MSGS#sms#${actor.organizationId}`, what, day));

test('a day of more messages than a pass counts is counted part by part, with the rows that one pass over all of it stores', async () => {
  const { kit, key, messages, day } = await crowded();
  const stored = async () => {
    const rows = await Promise.all(['day', 'dayRare'].map((what) => storedOf(kit, what, day)));
    for (const places of Object.values((rows[1]?.groups ?? {}) as Record<string, string[]>)) places.sort();
    return rows;
  };
  expect(await countAll(kit, key, 10)).toBeGreaterThan(6);
  expect(await world.table.get(key)).toBeUndefined();
  const byParts = await stored();
  expect(byParts).toEqual([expect.anything(), expect.anything()]);
  expect(await kit.total(FAILED)).toBe(expected(messages, FAILED));
  expect(await kit.page(FAILED, { skip: 0, limit: 100 })).toEqual(matching(messages, FAILED));
  expect(await due(kit)).toEqual([]);
  for (const row of byParts) await world.table.write({ delete: row as Key });
  await kit.total(FAILED);
  expect(await countAll(kit, key, 10_000)).toBe(1);
  expect(await stored()).toEqual(byParts);
});

test('totals hold while a day is counted part by part, whatever of its counted and uncounted messages changes in between, by passes at once', async () => {
  const { kit, key, messages, many } = await crowded();
  const byId = new Map(messages.map((message) => [message.id, message]));
  const change = async (at: number) => {
    const id = many[at]?.id as MessageRecord['id'];
    await kit.advance(id, 'read');
    byId.set(id, await kit.read(id));
  };
  const pass = () => countListOn(kit.reading, key, 10);
  for (let at = 1; at < 80 && (await Promise.all([pass(), pass()])).includes(true); at += 23) {
    if (at < 70) await change(at);
    await change(119 - (at % 23));
    for (const filter of [FAILED, { status: 'read' }, { status: 'sent' }] as const)
      expect(await kit.total(filter), filter.status).toBe(expected(byId.values(), filter));
  }
  expect(await countAll(kit, key, 10)).toBeGreaterThan(0);
  for (const filter of [FAILED, { status: 'read' }, { status: 'sent' }] as const)
    expect(await kit.total(filter), filter.status).toBe(expected(byId.values(), filter));
});

test('a crowded day of which many messages changed late is left to the index, and its list rests for a day once the others are counted', async () => {
  const { kit, key, messages, many, day } = await crowded();
  const byId = new Map(messages.map((message) => [message.id, message]));
  for (const { id } of many.slice(0, 9)) {
    await kit.advance(id, 'read');
    byId.set(id, await kit.read(id));
  }
  await countAll(kit, key, 10);
  const row = await world.table.get(key);
  expect(row).toMatchObject({ ttl: Math.ceil((world.now + DAY) / 1_000) });
  expect(row).not.toHaveProperty('duePk');
  const kept = await kit.storedKeys();
  expect(kept).not.toContain(`day#${day}`);
  for (const days of [-2, -1, 1, 2]) expect(kept).toContain(`day#${isoTime(Date.parse(day) + days * DAY)}`);
  for (const filter of [FAILED, { status: 'read' }] as const)
    expect(await kit.total(filter)).toBe(expected(byId.values(), filter));
  expect(await due(kit)).toEqual([]);
});

test('counts by batch are counted apart from those of the whole list', async () => {
  const { kit, messages } = await long();
  const filter = { batchId: messages[0]?.batchId ?? newId('batch') };
  await kit.total(FAILED);
  await kit.total(filter);
  const keys = await due(kit);
  expect(keys).toHaveLength(2);
  for (const key of keys) await countAll(kit, key, 60);
  for (const each of [FAILED, filter]) expect(await kit.total(each)).toBe(expected(messages, each));
  expect(await due(kit)).toEqual([]);
  expect(new Set((await kit.storedKeys()).map((sk) => sk.split('#')[0]))).toContain('dayByBatch');
});

test('a list that is not asked for any more is not counted', async () => {
  const { kit } = await long();
  const key = KEYS.listCounting(`MSGS#sms#${kit.actor.organizationId}`, 'ALL');
  expect(await countListOn(kit.reading, key)).toBe(false);
  expect(await kit.storedKeys()).toEqual([]);
});
