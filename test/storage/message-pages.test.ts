import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { QueryRange } from '../../shared/storage/client/table.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { filteredKeys } from '../../shared/storage/messages/totals/filtered-keys.ts';
import { placeOf, readRare, writeRare } from '../../shared/storage/messages/totals/rare-places.ts';
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
      const rare = { groups: ['failed'], late: [], known };
      return { kind: 'hour', from, until: from + HOUR, size: 40, total: 1, rare } as const;
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

  test('keeps no more places of an hour than a small row has, the smallest groups first', async () => {
    const from = Math.floor(world.now / HOUR) * HOUR - 3 * DAY;
    const places = Array.from({ length: 33_000 }, (_, at) => placeOf({ createdAt: from + at, id: `msg_${at}` }));
    const groups = new Map([
      ['usual', places.slice(1_010)],
      ['few', places.slice(0, 9)],
      ['many', places.slice(9, 1_010)],
    ]);
    const of = { list: 'list', byBatch: false };
    await writeRare(world.table, of, 'hour', new Map([[from, groups]]));
    const [kept] = await readRare(world.table, of, [{ kind: 'hour', from }]);
    expect([...(kept ?? [])]).toEqual([['few', places.slice(0, 9)]]);
  });
});
