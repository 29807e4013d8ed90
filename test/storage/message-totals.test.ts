import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { unifiedStatus } from '../../shared/domain/tracking/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { QueryRange } from '../../shared/storage/client/table.ts';
import { listAllMessages, type UnifiedFilter } from '../../shared/storage/messages/message-merge.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { placeOf, readRare, writeRare } from '../../shared/storage/messages/totals/rare-places.ts';
import { listShardOf } from '../../shared/storage/table-indexes.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_124;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PAGE = { skip: 0, limit: 1 };
const BATCH = newId('batch');

const world = await use(startWorld('live'));

/** An organization whose lists are never small, with a message to copy. */
const organization = async () => {
  const actor = await world.organization();
  const { id } = accepted(await world.sms(actor));
  const base = (await world.ports.messageStore.read(id)) as MessageRecord;
  await world.table.write({ update: KEYS.wallet(actor.organizationId), set: { sms: 1_000_000, ledgers: 2 } });
  const reading = { ...world.reading, smallList: 0 };
  let made = 0;
  /** Writes a message as if it had been sent at a moment. */
  const add = async (createdAt: number, fields: Partial<MessageRecord> = {}): Promise<MessageRecord> => {
    const own = { id: newId('message'), createdAt, updatedAt: createdAt, sentAt: createdAt };
    const message = { ...base, status: 'sent', ...own, lane: made++ % 3, ...fields } as MessageRecord;
    await world.table.write({ put: messageRows.write(message) });
    return message;
  };
  const total = async (filter: UnifiedFilter): Promise<number> =>
    (await listAllMessages(reading, actor.organizationId, filter, PAGE)).total;
  const page = async (filter: UnifiedFilter, of: { readonly skip: number; readonly limit: number }) =>
    (await listAllMessages(reading, actor.organizationId, filter, of)).items.map(({ id }) => id);
  const read = async (id: MessageRecord['id']) => (await world.ports.messageStore.read(id)) as MessageRecord;
  const advance = async (id: MessageRecord['id'], status: 'delivered' | 'read' | 'failed') => {
    const at = world.now;
    return world.ports.messageStore.advance(await read(id), { status, at, recordedAt: at, decisions: [], events: [] });
  };
  const storedKeys = async () => {
    const partition = KEYS.listCount(`MSGS#sms#${actor.organizationId}`, '', '').pk;
    return (await world.table.queryAll({ partition, consistent: true })).map(({ sk }) => sk);
  };
  return { actor, base, add, total, page, read, advance, storedKeys, shards: listShardOf(2) };
};

type Kit = Awaited<ReturnType<typeof organization>>;

/** So many messages evenly over a span before now, every tenth of them failed. */
const fill = async (kit: Kit, count: number, span: number): Promise<MessageRecord[]> => {
  const messages: MessageRecord[] = [];
  for (let at = 0; at < count; at++)
    messages.push(
      await kit.add(world.now - Math.floor((span * (at + 0.5)) / count), {
        status: at % 10 === 0 ? 'failed' : 'delivered',
        numberId: `num_${at % 2}`,
        campaignId: at % 4 === 0 ? 'natal' : undefined,
        batchId: at % 5 === 0 ? BATCH : undefined,
      } as Partial<MessageRecord>),
    );
  return messages;
};

const FILTERS: readonly UnifiedFilter[] = [
  { status: 'failed' },
  { status: 'delivered' },
  { status: 'read' },
  { status: 'archived' },
  { numberId: 'num_1' },
  { campaignId: 'natal' },
  { campaignId: 'natal', status: 'failed' },
  { batchId: BATCH },
];

/** What a plain filter over all messages finds, newest first. */
const matching = (messages: Iterable<MessageRecord>, filter: UnifiedFilter): MessageRecord['id'][] => {
  const { status, from = 0, to = Number.POSITIVE_INFINITY, ...equal } = filter;
  return [...messages]
    .filter(
      (message) =>
        (status === undefined || unifiedStatus(message) === status) &&
        message.createdAt >= from &&
        message.createdAt <= to &&
        Object.entries(equal).every(([name, value]) => message[name as 'numberId'] === value),
    )
    .toSorted((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
};
const expected = (messages: Iterable<MessageRecord>, filter: UnifiedFilter): number =>
  matching(messages, filter).length;

/** Hours with so many messages that a status is rare among them: of days that are settled, of hours that are, and of neither. */
const fillHours = async (kit: Kit): Promise<MessageRecord[]> => {
  const hour = Math.floor(world.now / HOUR) * HOUR;
  const messages: MessageRecord[] = [];
  for (const from of [
    hour - 45 * DAY,
    hour - 45 * DAY + HOUR,
    hour - 40 * DAY,
    hour - 3 * DAY,
    hour - 30 * HOUR,
    hour - HOUR,
  ])
    for (let at = 0; at < 80; at++)
      messages.push(
        await kit.add(from + at * 30_000, {
          status: at % 40 === 7 ? 'failed' : 'delivered',
          numberId: `num_${at % 2}`,
          campaignId: at % 4 === 0 ? 'natal' : undefined,
          batchId: at === 50 ? BATCH : undefined,
        } as Partial<MessageRecord>),
      );
  return messages;
};

const SKIPS = [0, 1, 7, 30, 400] as const;

describe('a page of a filtered list, and its total', () => {
  // Both levels, broken days, and what is too new to be counted; and the same where what is filtered for is rare.
  const LISTS = {
    'of usual statuses': {
      list: async (kit: Kit) => [...(await fill(kit, 500, 40 * DAY)), ...(await fill(kit, 60, 5 * HOUR))],
      kept: ['day', 'hour'],
      runs: 40,
    },
    // Few runs: where many changed late, hours and days are read in the index.
    'of rare ones': { list: fillHours, kept: ['day', 'hour', 'dayRare', 'hourRare'], runs: 12 },
  };
  test.each(Object.entries(LISTS))(
    '%s are what a plain filter finds, whatever was counted and changed before, in windows of any bounds',
    async (_, { list, kept, runs }) => {
      const kit = await organization();
      const filled = [...(await list(kit)), kit.base];
      const messages = new Map(filled.map((message) => [message.id, message]));
      const ids = [...messages.keys()];
      const step = fc.oneof(
        fc.record({ kind: fc.constant('advance' as const), at: fc.nat({ max: ids.length - 1 }) }),
        fc.record({ kind: fc.constant('wait' as const), ms: fc.constantFrom(HOUR / 4, HOUR, 5 * HOUR, DAY, 9 * DAY) }),
        fc.record({
          kind: fc.constant('count' as const),
          filter: fc.constantFrom(...FILTERS),
          skip: fc.constantFrom(...SKIPS),
          limit: fc.constantFrom(1, 5, 50),
          window: fc.option(fc.tuple(fc.nat({ max: 50 * 24 * 60 }), fc.nat({ max: 50 * 24 * 60 })), { nil: undefined }),
        }),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
          for (const each of steps) {
            const id = each.kind === 'advance' ? ids[each.at] : undefined;
            if (each.kind === 'wait') world.now += each.ms;
            else if (id) {
              await kit.advance(id, messages.get(id)?.status === 'sent' ? 'delivered' : 'read');
              messages.set(id, await kit.read(id));
            } else if (each.kind === 'count') {
              const [a = 0, b = 0] = (each.window ?? []).map((minutes) => world.now - minutes * 60_000 - 17);
              const filter = { ...each.filter, ...(each.window ? { from: Math.min(a, b), to: Math.max(a, b) } : {}) };
              expect(await kit.total(filter), JSON.stringify(filter)).toBe(expected(messages.values(), filter));
              const found = await kit.page(filter, { skip: each.skip, limit: each.limit });
              const all = matching(messages.values(), filter);
              expect(found, JSON.stringify(filter)).toEqual(all.slice(each.skip, each.skip + each.limit));
            }
          }
        }),
        { seed: SEED, numRuns: runs, endOnFailure: true },
      );
      for (const filter of FILTERS) expect(await kit.total(filter)).toBe(expected(messages.values(), filter));
      expect((await kit.storedKeys()).map((sk) => sk.split('#')[0])).toEqual(expect.arrayContaining(kept));
    },
    240_000,
  );
});

describe('a page of what is rare', () => {
  const RARE = { status: 'failed' } as const;
  const whole = { skip: 0, limit: 100 };

  test('reads the index of what is not settled alone, once the rest was counted', async () => {
    const kit = await organization();
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
    const kit = await organization();
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

  test('is found in the index where its places were not kept', async () => {
    const kit = await organization();
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

describe('counts that are stored', () => {
  /** A clean day's list: 30 messages of three hours that are over. */
  const counted = async () => {
    const kit = await organization();
    world.now = (Math.floor(world.now / DAY) + 1) * DAY + 12 * HOUR;
    const messages: MessageRecord[] = [];
    for (let at = 0; at < 30; at++) messages.push(await kit.add(world.now - 6 * HOUR + at * 6 * 60_000));
    return { kit, messages };
  };
  const totals = async (kit: Kit) => [await kit.total({ status: 'sent' }), await kit.total({ status: 'delivered' })];

  test('hold whatever of an outcome is interleaved with whatever of two readers', async () => {
    // Each call of the reader's table is a moment at which others may act: all of them are tried.
    for (let moment = 0; moment < 14; moment++) {
      const { kit, messages } = await counted();
      const late = messages[moment % messages.length] as MessageRecord;
      let calls = 0;
      const act = async () => {
        if (calls++ !== moment) return;
        await kit.total({ status: 'delivered' });
        await kit.advance(late.id, 'delivered');
      };
      const spied = new Proxy(world.table, {
        get(table, name) {
          const value = Reflect.get(table, name, table);
          if (typeof value !== 'function') return value;
          return async (...given: unknown[]) => {
            await act();
            return Reflect.apply(value, table, given);
          };
        },
      });
      const reading = { ...world.reading, table: spied, smallList: 0 };
      const { total } = await listAllMessages(reading, kit.actor.organizationId, { status: 'sent' }, PAGE);
      expect([30, 31]).toContain(total);
      if ((await kit.read(late.id)).status === 'sent') await kit.advance(late.id, 'delivered');
      expect(await totals(kit), `after call ${moment}`).toEqual([30, 1]);
      await kit.advance(late.id, 'read');
      expect([...(await totals(kit)), await kit.total({ status: 'read' })]).toEqual([30, 0, 1]);
    }
  }, 120_000);

  test('stay right when a change was marked and never made', async () => {
    const { kit, messages } = await counted();
    const late = messages[0] as MessageRecord;
    const before = await totals(kit);
    const stale = { ...late, updatedAt: late.updatedAt - 1 };
    const change = { status: 'delivered', at: world.now, recordedAt: world.now, decisions: [], events: [] } as const;
    expect(await world.ports.messageStore.advance(stale, change)).toBe(false);
    expect(await totals(kit)).toEqual(before);
    await kit.advance(late.id, 'delivered');
    expect(await totals(kit)).toEqual([30, 1]);
  });

  test('have a message that no list showed when its hour was settled, once it is listed', async () => {
    const { kit } = await counted();
    const hidden = { status: 'sending', hold: 'open', deadline: world.now - 1, sentAt: undefined } as const;
    const { id } = await kit.add(world.now - 5 * HOUR, hidden);
    expect(await kit.total({ status: 'sending' })).toBe(0);
    expect(
      await world.ports.messageStore.claimExpired(await kit.read(id), world.now, world.now + 30_000),
    ).toBeDefined();
    expect(await kit.total({ status: 'sending' })).toBe(1);
    expect(await kit.total({ status: 'sending' })).toBe(1);
  });

  test('have a message that was listed while it was in flight, and failed late', async () => {
    const { kit } = await counted();
    const { messageStore } = world.ports;
    const hidden = { status: 'sending', hold: 'open', deadline: world.now - 1, sentAt: undefined } as const;
    const { id } = await kit.add(world.now, hidden);
    await messageStore.claimExpired(await kit.read(id), world.now, world.now + 30_000);
    world.now += 3 * HOUR;
    const claimed = await messageStore.claimExpired(await kit.read(id), world.now, world.now + 30_000);
    expect(claimed).toBeDefined();
    expect(await kit.total({ status: 'sending' })).toBe(1);
    await world.table.write({ update: KEYS.message(id), set: { hold: 'released' } });
    await kit.advance(id, 'failed');
    for (const status of ['sending', 'failed'] as const)
      expect(await kit.total({ status }), status).toBe(status === 'failed' ? 1 : 0);
  });

  test('cost an outcome in time nothing, and a late one a mark, once', async () => {
    const { kit, messages } = await counted();
    const marks = async () => {
      const { pk } = KEYS.lateChange(kit.actor.organizationId, 'sms', '', '', '');
      const shards = [pk, `${pk}#1`, `${pk}#2`];
      const rows = await Promise.all(shards.map((partition) => world.table.queryAll({ partition, consistent: true })));
      return rows.flat().length;
    };
    const fresh = await kit.add(world.now - HOUR);
    await kit.advance(fresh.id, 'delivered');
    expect(await marks()).toBe(0);
    for (const status of ['delivered', 'read'] as const) await kit.advance((messages[3] as MessageRecord).id, status);
    expect(await marks()).toBe(1);
  });
});
