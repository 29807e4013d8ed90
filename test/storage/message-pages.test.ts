import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { QueryRange } from '../../shared/storage/client/table.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { filteredKeys } from '../../shared/storage/messages/totals/filtered-keys.ts';
import { addTallies, placeOf, readRare, tallyOf, writeRare } from '../../shared/storage/messages/totals/rare-places.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { DAY, fillHours, filteredLists, HOUR, matching } from './filtered-lists.ts';

const world = await use(startWorld('live'));

describe('a page of what is rare', () => {
  const RARE = { status: 'failed' } as const;
  const whole = { skip: 0, limit: 100 };

  test('reads the index of what is not settled alone, once the rest was counted', async () => {
    const kit = await filteredLists(world);
    const messages = [...(await fillHours(kit)), kit.base];
    await kit.total(RARE);
    const read: { readonly lower: number; readonly upper: number }[] = [];
    const spied = new Proxy(world.table, {
      get(table, name) {
        const value = Reflect.get(table, name, table);
        if (typeof value !== 'function') return value;
        return (...given: readonly [QueryRange, ...unknown[]]) => {
          const [range] = given;
          const { lower, upper } = range.index ? (range.sort?.values ?? {}) : {};
          if (range.index)
            read.push({ lower: Date.parse(String(lower)), upper: Date.parse(String(upper).split('#', 1)[0] ?? '') });
          return Reflect.apply(value, table, given);
        };
      },
    });
    const reading = { ...world.reading, table: spied, smallList: 0 };
    const { items, total } = await listAllMessages(reading, kit.actor.organizationId, RARE, whole);
    expect(items.map(({ id }) => id)).toEqual(matching(messages, RARE));
    expect(total).toBe(items.length);
    const settled = messages.filter(({ createdAt }) => createdAt < world.now - 2 * HOUR);
    const within = settled.filter(({ createdAt: at }) => read.some(({ lower, upper }) => lower <= at && at <= upper));
    expect(read).not.toEqual([]);
    expect(within).toEqual([]);
  });

  test('has what changed late, and no more what it was, in settled hours and days', async () => {
    const kit = await filteredLists(world);
    const filled = [...(await fillHours(kit)), kit.base];
    await kit.total(RARE);
    const messages = new Map(filled.map((message) => [message.id, message]));
    const change = async (id: MessageRecord['id']) => {
      expect(await kit.advance(id, 'read')).toBe(true);
      messages.set(id, await kit.read(id));
    };
    // Of each hour a rare one, and a usual one that becomes rare.
    for (let hour = 0; hour < 6; hour++)
      for (const at of [7, 9]) await change((filled[hour * 80 + at] as MessageRecord).id);
    for (const filter of [RARE, { status: 'read' } as const, { status: 'delivered' } as const])
      expect(await kit.page(filter, { skip: 0, limit: 1_000 })).toEqual(matching(messages.values(), filter));
  });

  test('continues beyond one read', async () => {
    const range = { index: 'gsi1', partition: 'none' } as const;
    const list = { range, filter: { statuses: ['failed'] }, marked: undefined };
    const parts = Array.from({ length: 250 }, (_, at) => {
      const from = world.now - at * HOUR;
      const known = new Map([['failed', [placeOf({ createdAt: from, id: newId('message') })]]]);
      const rare = { kind: 'hour', groups: ['failed'], late: [], known } as const;
      return { from, until: from + HOUR, size: 40, total: 1, rare };
    });
    const next = filteredKeys(world.table, list, { parts, spans: [], near: 0 }, 240);
    const found: unknown[] = [];
    for (let keys = await next(); keys && found.length < 240; keys = await next())
      found.push(...keys.map((key) => key.gsi1sk));
    expect(found.slice(0, 240)).toEqual(parts.slice(0, 240).map(({ rare }) => rare.known.get('failed')?.[0]));
  });

  test('is found in the index where its places were not kept', async () => {
    const kit = await filteredLists(world);
    const messages = [...(await fillHours(kit)), kit.base];
    await kit.total(RARE);
    const { pk } = KEYS.listCount(`MSGS#sms#${kit.actor.organizationId}`, '', '');
    for (const sk of await kit.storedKeys()) if (sk.includes('Rare#')) await world.table.write({ delete: { pk, sk } });
    expect(await kit.page(RARE, whole)).toEqual(matching(messages, RARE));
  });

  test('keeps no more places of an hour than a small row has, the smallest groups first, and none of a group that is not rare', async () => {
    const from = Math.floor(world.now / HOUR) * HOUR - 3 * DAY;
    const places = Array.from({ length: 33_000 }, (_, at) => placeOf({ createdAt: from + at, id: `msg_${at}` }));
    const groups = new Map([
      ['usual', places.slice(1_010)],
      ['few', places.slice(0, 9)],
      ['many', places.slice(9, 1_010)],
    ]);
    const of = { list: 'list', byBatch: false };
    await writeRare(world.table, of, 'hour', new Map([[from, tallyOf(groups)]]));
    const [kept] = await readRare(world.table, of, [{ kind: 'hour', from }]);
    expect([...(kept ?? [])]).toEqual([['few', places.slice(0, 9)]]);
    const small = tallyOf(
      new Map([
        ['one', places.slice(0, 1)],
        ['others', places.slice(1, 32)],
      ]),
    );
    await writeRare(world.table, of, 'day', new Map([[from, small]]));
    const [rare] = await readRare(world.table, of, [{ kind: 'day', from }]);
    expect([...(rare?.keys() ?? [])]).toEqual(['one']);
  });

  test('keeps of parts that are counted one after the other what it keeps of all, or less, but no group in part', async () => {
    const from = Math.floor(world.now / HOUR) * HOUR - 4 * DAY;
    const of = { list: 'list', byBatch: false };
    const place = (at: number) => placeOf({ createdAt: from + at, id: `msg_${at}` });
    /** Groups of so many messages, in a part that begins at a time. */
    const part = (at: number, sizes: Readonly<Record<string, number>>) =>
      tallyOf(
        new Map(
          Object.entries(sizes).map(([group, size], nth) => [
            group,
            Array.from({ length: size }, (_, each) => place(at + nth * 2_000 + each)),
          ]),
        ),
      );
    // The second group was once too large for a row with the first; the third comes late.
    const parts = [
      part(0, { one: 600, two: 700, usual: 40_000 }),
      part(100_000, { one: 20, three: 30, usual: 60_000 }),
    ];
    const tally = parts.reduce(addTallies);
    expect(tally.counts).toEqual({ one: 620, two: 700, three: 30, usual: 100_000 });
    await writeRare(world.table, of, 'hour', new Map([[from, tally]]));
    const [kept] = await readRare(world.table, of, [{ kind: 'hour', from }]);
    const sizes = [...(kept ?? [])].map(([group, places]) => [group, places.length]);
    expect(sizes.toSorted()).toEqual([
      ['one', 620],
      ['three', 30],
    ]);
    const grown = addTallies(tally, part(200_000, { one: 5_000, two: 10 }));
    expect([...grown.places.keys()]).toEqual(['three']);
    await writeRare(world.table, of, 'day', new Map([[from, grown]]));
    const [rest] = await readRare(world.table, of, [{ kind: 'day', from }]);
    expect([...(rest?.keys() ?? [])]).toEqual(['three']);
  });
});
