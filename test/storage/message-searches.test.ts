import { describe, expect, test, vi } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { DAY, expected, fill, filteredLists, HOUR, type Kit, matching } from './filtered-lists.ts';

const world = await use(startWorld('live'));
const FAILED = { status: 'failed' } as const;
const DELIVERED = { status: 'delivered' } as const;
const whole = { skip: 0, limit: 2_000 };

/** So many messages of the last twenty minutes, over three shards; every so many of them failed. */
const recent = async (kit: Kit, count: number, failedEvery: number): Promise<MessageRecord[]> => {
  const messages = Array.from({ length: count }, (_, at): MessageRecord => {
    const createdAt = world.now - 20 * 60_000 + at;
    const own = { id: newId('message'), createdAt, updatedAt: createdAt, sentAt: createdAt, lane: at % 3 };
    return { ...kit.base, ...own, status: at % failedEvery === 0 ? 'failed' : 'delivered' } as MessageRecord;
  });
  await world.table.putMany(messages.map((message) => messageRows.write(message)));
  return messages;
};

describe('a part of a list that no counts cover', () => {
  test('is read once for a page of few matches and their total', async () => {
    const kit = await filteredLists(world);
    const messages = [...(await recent(kit, 120, 10)), kit.base];
    const [query, count] = [vi.spyOn(world.table, 'query'), vi.spyOn(world.table, 'countPage')];
    const page = await kit.page(FAILED, { skip: 3, limit: 5 });
    const searches = [...query.mock.calls, ...count.mock.calls].filter(([{ filter }]) => filter !== undefined);
    vi.restoreAllMocks();
    expect(page).toEqual(matching(messages, FAILED).slice(3, 8));
    expect(new Set(searches.map(([{ partition }]) => partition)).size).toBe(3);
    expect(searches).toHaveLength(3);
  });

  test('has the total and the pages of a plain filter, however many of its messages match', async () => {
    const kit = await filteredLists(world);
    const messages = [...(await recent(kit, 3_300, 30)), ...(await fill(kit, 60, 3 * HOUR)), kit.base];
    for (const filter of [FAILED, DELIVERED]) {
      expect(await kit.total(filter)).toBe(expected(messages, filter));
      for (const page of [whole, { skip: 1_190, limit: 30 }])
        expect(await kit.page(filter, page)).toEqual(
          matching(messages, filter).slice(page.skip, page.skip + page.limit),
        );
    }
  });

  test('is counted, rather than kept, as soon as it is seen that many messages match', async () => {
    const kit = await filteredLists(world);
    await recent(kit, 6_600, 60);
    const count = vi.spyOn(world.table, 'countPage');
    await kit.total(FAILED);
    const ofFew = count.mock.calls.length;
    await kit.total(DELIVERED);
    const ofMany = count.mock.calls.length - ofFew;
    vi.restoreAllMocks();
    expect(ofFew).toBe(0);
    expect(ofMany).toBeGreaterThan(0);
  });
});

describe('an answer whose time ends while it searches a list', () => {
  const late = ({ reading }: Kit) => ({ ...reading, remainingMs: () => 4_999 });

  test('is refused as unavailable, with the time after which to repeat it', async () => {
    const kit = await filteredLists(world);
    await recent(kit, 3_300, 30);
    await expect(kit.total(DELIVERED, late(kit))).rejects.toMatchObject({ name: 'Unavailable', retryAfterSeconds: 15 });
  });

  test('is given if one read per shard finds it', async () => {
    const kit = await filteredLists(world);
    const messages = [...(await recent(kit, 60, 10)), kit.base];
    expect(await kit.total(FAILED, late(kit))).toBe(expected(messages, FAILED));
  });
});

test('a list that an answer leaves uncounted is handed to the background at once, and once', async () => {
  const kit = await filteredLists(world, 20);
  await fill(kit, 300, 40 * DAY);
  const handed: unknown[] = [];
  const reading = { ...kit.reading, onUncounted: (...requested: unknown[]) => handed.push(requested) };
  await kit.total(FAILED, reading);
  await kit.total(DELIVERED, reading);
  const { organizationId } = kit.actor;
  expect(handed).toEqual([[KEYS.listCounting(`MSGS#sms#${organizationId}`, 'ALL'), organizationId]]);
});
