import { expect, test, vi } from 'vitest';
import type { Refusal } from '../../shared/domain/core/errors.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { Page } from '../../shared/domain/message/lists.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listMessageCursor, listMessagePage, messageRange } from '../../shared/storage/messages/message-lists.ts';
import { listAllMessages } from '../../shared/storage/messages/message-merge.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { findInRange, foundPage } from '../../shared/storage/messages/totals/filtered-total.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';
import { expected, fill, filteredLists, HOUR, type Kit, matching } from './filtered-lists.ts';

const world = await use(startWorld('live'));
const DELIVERED = { status: 'delivered' } as const;

/** Sixty messages of the last hour; some of them are read by their recipients after a page's index entries were read, before its rows are. */
const changing = async () => {
  const kit = await filteredLists(world);
  const messages = await fill(kit, 60, HOUR);
  const byId = new Map(messages.map((message) => [message.id, message]));
  type Change = (id: MessageRecord['id']) => Promise<unknown>;
  const changesOnce = (ids: readonly MessageRecord['id'][], change: Change = (id) => kit.advance(id, 'read')) => {
    const getMany = world.table.getMany.bind(world.table);
    let left = ids;
    return vi.spyOn(world.table, 'getMany').mockImplementation(async (keys, options) => {
      const isPage = keys.some(({ pk }) => left.some((id) => pk === KEYS.message(id).pk));
      const changed = isPage ? left : [];
      if (isPage) left = [];
      for (const id of changed) {
        await change(id);
        byId.set(id, await kit.read(id));
      }
      return getMany(keys, options);
    });
  };
  return { kit, messages, byId, changesOnce };
};

type List = (kit: Kit, skip: number, limit: number) => Promise<Page<{ readonly id: string }>>;
const LISTS: readonly [string, List][] = [
  [
    'all channels',
    ({ reading, actor }, skip, limit) => listAllMessages(reading, actor.organizationId, DELIVERED, { skip, limit }),
  ],
  [
    'one channel',
    ({ reading, actor }, skip, limit) =>
      listMessagePage(reading, actor.organizationId, 'sms', DELIVERED, { skip, limit }),
  ],
];

test.each(LISTS)(
  'a page of %s has only messages that match, and is filled up with the next ones, if some changed while it was read',
  async (_, list) => {
    const { kit, messages, byId, changesOnce } = await changing();
    const before = matching(messages, DELIVERED);
    const changed = [before[2], before[4], before[6]].flatMap((id) => id ?? []);
    const read = changesOnce(changed);
    const { items, total } = await list(kit, 1, 6);
    read.mockRestore();
    const remaining = before.filter((id) => !changed.includes(id));
    expect(items.map(({ id }) => id)).toEqual(remaining.slice(1, 7));
    expect(total).toBe(expected(byId.values(), DELIVERED));
  },
);

test.each(LISTS)(
  'the last page of %s is short if some of it changed, and its total is without them',
  async (_, list) => {
    const { kit, messages, byId, changesOnce } = await changing();
    const before = matching(messages, DELIVERED);
    const read = changesOnce(before.slice(-2));
    const { items, total } = await list(kit, before.length - 5, 10);
    read.mockRestore();
    expect(items.map(({ id }) => id)).toEqual(before.slice(-5, -2));
    expect(total).toBe(expected(byId.values(), DELIVERED));
  },
);

/** A change of a message's row by which it does not match any more. */
const setTo = (set: Readonly<Record<string, unknown>>) => (id: MessageRecord['id']) =>
  world.table.write({ update: KEYS.message(id), set });

test('a page of a status has no message that was archived while it was read', async () => {
  const { kit, messages, changesOnce } = await changing();
  const [newest = '', ...others] = matching(messages, DELIVERED);
  const read = changesOnce([newest as MessageRecord['id']], setTo({ archivedAt: isoTime(world.now) }));
  const page = { skip: 0, limit: 4 };
  const { items } = await listAllMessages(kit.reading, kit.actor.organizationId, DELIVERED, page);
  read.mockRestore();
  expect(items.map(({ id }) => id)).toEqual(others.slice(0, 4));
});

test('a page of a carrier has no message that another one took while it was read', async () => {
  const { kit, changesOnce } = await changing();
  const times = [3, 2, 1].map((minutes) => world.now - minutes * 60_000);
  const [oldest, middle] = await Promise.all(times.map((at) => kit.add(at, { via: 'rcs' })));
  const read = changesOnce([middle?.id as MessageRecord['id']], setTo({ via: 'sms' }));
  const page = { skip: 1, limit: 4 };
  const { items, total } = await listMessagePage(kit.reading, kit.actor.organizationId, 'sms', { via: 'rcs' }, page);
  read.mockRestore();
  expect(items.map(({ id }) => id)).toEqual([oldest?.id]);
  expect(total).toBe(2);
});

test('a total that was counted before messages came is not less than the page with them shows', async () => {
  const { kit, messages } = await changing();
  const range = messageRange(kit.actor.organizationId, 'sms', {}, undefined, 2);
  const found = { ...findInRange(world.table, range), total: async () => 2 };
  const ids = await foundPage(world.table, [found], 'gsi1', { skip: 3, limit: 4 }, (row) => messageRows.read(row).id);
  expect(ids).toEqual({ items: matching([...messages, kit.base], {}).slice(3, 7), total: 7 });
});

test('a page by cursor has only messages that match, and continues after those that changed', async () => {
  const { kit, messages, changesOnce } = await changing();
  const before = matching(messages, DELIVERED);
  const { organizationId } = kit.actor;
  const scope = { organizationId, env: 'live', query: { operation: 'test' } } as const;
  const vault = createVault(Buffer.alloc(32, 3));
  const page = async (cursor?: string) => {
    const request = { vault, scope, cursor, limit: 5 };
    const found = await listMessageCursor(world.table, 'sms', DELIVERED, request);
    return found as Exclude<typeof found, Refusal<'BAD_REQUEST'>>;
  };
  const read = changesOnce(before.slice(0, 2));
  const first = await page();
  read.mockRestore();
  expect(first.items.map(({ id }) => id)).toEqual(before.slice(2, 5));
  expect((await page(first.nextCursor)).items.map(({ id }) => id)).toEqual(before.slice(5, 10));
});
