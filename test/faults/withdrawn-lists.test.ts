import { beforeEach, describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import type { MessageFilter } from '../../shared/domain/message/lists.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { listMessageCursor, listMessagePage, readMessage } from '../../shared/storage/messages/message-lists.ts';
import { aContact } from '../support/automated.ts';
import { useBulk } from '../support/bulk-world.ts';
import { indexesUpToDate } from '../support/table-engine.ts';

const { world, bulk } = await useBulk();
beforeEach(world.reset);

const TO = '+5511987654321';
const HOUR_MS = 3_600_000;
const COUNT = 3;

/** Accepts a message of its own, and a batch whose process ends before it is decided; the ids of the batch. */
const killed = async (actor: Actor, contactId: Id<'contact'>) => {
  const message = { contactId, to: TO };
  await bulk.send(actor, [message]);
  const died = bulk.send(actor, Array(COUNT).fill(message), 'permissive', {
    decideBatch: async () => {
      throw new Error('the process ends');
    },
  });
  await expect(died).rejects.toThrow('the process ends');
};

/** The number of messages in the lists of a message's organization, contact and recipient, and the totals that they return. */
const shown = async (actor: Actor, contactId: Id<'contact'>) => {
  await indexesUpToDate();
  const { organizationId } = actor;
  const recipientHash = await world.ports.recipientHashOf(organizationId, 'phone', TO);
  const filters: MessageFilter[] = [
    {},
    { contactId },
    { recipientHash },
    { status: 'failed' },
    { status: ['failed', 'sent'] },
  ];
  const pages = filters.map((filter) =>
    // No list is too small to be counted.
    listMessagePage({ ...world.reading, smallList: 0 }, organizationId, 'sms', filter, { limit: 50, skip: 0 }),
  );
  return (await Promise.all(pages)).map(({ items, total }) => [items.length, total]);
};

describe('messages of a batch that was refused as a whole', () => {
  // Soon after it, and once the hour in which they were stored is counted.
  test.each([2 * 60_000, 3 * HOUR_MS])(
    'are in no list and no total, where that is %i ms after it began',
    async (after) => {
      const actor = await world.organization();
      const contactId = await aContact(world.table, actor);
      await killed(actor, contactId);
      const before = await shown(actor, contactId);
      expect(before[0]).toEqual([1 + COUNT, 1 + COUNT]);
      world.now += after;
      // Has the counts of the hour be kept where it is over.
      await shown(actor, contactId);
      await bulk.dispatch();
      await bulk.settle();
      world.now += 3 * HOUR_MS;
      expect(await shown(actor, contactId)).toEqual([
        [1, 1],
        [1, 1],
        [1, 1],
        [0, 0],
        [1, 1],
      ]);
      await bulk.money(actor);
    },
  );

  test('are not readable by id, and store no personal data', async () => {
    const actor = await world.organization();
    const contactId = await aContact(world.table, actor);
    await killed(actor, contactId);
    world.now += 2 * 60_000;
    await bulk.dispatch();
    await bulk.settle();
    const withdrawn = (await bulk.messages(actor)).filter(({ hold }) => hold === 'released');
    expect(withdrawn).toHaveLength(COUNT);
    for (const { id } of withdrawn) {
      expect(await readMessage(world.table, actor.organizationId, id)).toBeUndefined();
      const row = JSON.stringify(await world.table.get(KEYS.message(id)));
      expect([row.includes(TO), row.includes(contactId), row.includes('"Oi"')]).toEqual([false, false, false]);
    }
  });

  test('are in no list of a cursor', async () => {
    const actor = await world.organization();
    const contactId = await aContact(world.table, actor);
    await killed(actor, contactId);
    world.now += 2 * 60_000;
    await bulk.dispatch();
    await indexesUpToDate();
    const { organizationId } = actor;
    const request = { limit: 50, scope: { organizationId, list: 'messages' } } as unknown as Parameters<
      typeof listMessageCursor
    >[3];
    const page = await listMessageCursor(world.table, 'sms', { contactId }, request);
    expect(page).toMatchObject({ items: [{ status: 'sent' }] });
  });
});
