import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import {
  DAY,
  expected,
  FILTERS,
  fill,
  fillHours,
  filteredLists,
  HOUR,
  type Kit,
  matching,
  PAGE,
} from './filtered-lists.ts';

const SEED = 20_261_124;
const world = await use(startWorld('live'));

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
      const kit = await filteredLists(world);
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

describe('counts that are stored', () => {
  /** A clean day's list: 30 messages of three hours that are over. */
  const counted = async () => {
    const kit = await filteredLists(world);
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
  }, 180_000);

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
