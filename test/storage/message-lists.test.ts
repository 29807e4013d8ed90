import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { newId, parseId } from '../../shared/domain/core/ids.ts';
import type { MessageFilter } from '../../shared/domain/message/lists.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { listMessagePage, readMessage } from '../../shared/storage/messages/message-lists.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_121;
const CONTACTS = [newId('contact'), newId('contact')] as const;

const world = await use(startWorld('live'));

describe('a list of SMS', async () => {
  const actor = await world.organization();
  const { id } = accepted(await world.sms(actor));
  const base = (await world.ports.messageStore.read(id)) as MessageRecord;
  const stored = [base];
  for (let at = 1; at < 90; at++) {
    const record = {
      ...base,
      id: `msg_${String(at).padStart(21, '0')}`,
      createdAt: base.createdAt + Math.floor(at / 3) * 1_000,
      status: (['sent', 'delivered', 'failed', 'undelivered'] as const)[at % 4],
      region: at % 3 === 0 ? 'INTL' : 'BR',
      recipientHash: `hash-${at % 5}`,
      ...(at % 2 === 0 ? { contactId: CONTACTS[(at / 2) % 2] } : {}),
      ...(at % 7 === 0 ? { campaignId: 'natal #1' } : {}),
    } as unknown as MessageRecord;
    stored.push(record);
    await world.table.write({ put: messageRows.write(record) });
    await world.table.write({ update: { pk: `WALLET#${actor.organizationId}`, sk: 'W' }, add: { sms: 1 } });
  }

  const EQUAL = ['status', 'region', 'contactId', 'campaignId', 'recipientHash'] as const;
  const expected = (filter: MessageFilter) =>
    stored
      .filter(
        (message) =>
          EQUAL.every((name) => filter[name] === undefined || message[name] === filter[name]) &&
          (filter.from === undefined || message.createdAt >= filter.from) &&
          (filter.to === undefined || message.createdAt <= filter.to),
      )
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);

  test('reads the page of a filter that few match in one call, not in ever smaller ones', async () => {
    const query = vi.spyOn(world.table, 'query');
    const page = { skip: 0, limit: 20 };
    const { items } = await listMessagePage(world.reading, actor.organizationId, 'sms', { status: 'failed' }, page);
    expect(items.map(({ id }) => id)).toEqual(expected({ status: 'failed' }).slice(0, 20));
    expect(query.mock.calls.filter(([{ index }]) => index === 'gsi1')).toHaveLength(1);
  });

  test('has exactly the messages that match, newest first, for any filter, skip and limit', async () => {
    const start = stored[0]?.createdAt ?? 0;
    const filters = fc.record(
      {
        status: fc.constantFrom('sent', 'delivered', 'failed', 'queued'),
        region: fc.constantFrom('BR', 'INTL'),
        contactId: fc.constantFrom(...CONTACTS, newId('contact')),
        campaignId: fc.constantFrom('natal #1', 'nada'),
        recipientHash: fc.constantFrom('hash-1', 'hash-2'),
        from: fc.integer({ min: -1, max: 31 }).map((second) => start + second * 1_000),
        to: fc.integer({ min: -1, max: 31 }).map((second) => start + second * 1_000),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.nat({ max: 40 }), fc.integer({ min: 1, max: 50 }), async (filter, skip, limit) => {
        const page = await listMessagePage(world.reading, actor.organizationId, 'sms', filter, { skip, limit });
        const all = expected(filter);
        expect(page.items.map(({ id }) => id)).toEqual(all.slice(skip, skip + limit));
        expect(page.total).toBe(all.length);
      }),
      { seed: SEED, numRuns: 150 },
    );
  });

  test('has them for no filter, for each filter alone and for each two of them', async () => {
    const start = stored[0]?.createdAt ?? 0;
    const each: readonly MessageFilter[] = [
      { status: 'sent' },
      { region: 'INTL' },
      { contactId: CONTACTS[0] },
      { campaignId: 'natal #1' },
      { recipientHash: 'hash-2' },
      { from: start + 4_000 },
      { to: start + 20_000 },
    ];
    const pairs = each.flatMap((one, at) => each.slice(at + 1).map((other) => ({ ...one, ...other })));
    for (const filter of [{}, ...each, ...pairs]) {
      const all = expected(filter);
      const page = await listMessagePage(world.reading, actor.organizationId, 'sms', filter, { skip: 1, limit: 4 });
      expect([filter, page.items.map(({ id }) => id), page.total]).toEqual([filter, all.slice(1, 5), all.length]);
      if (Object.keys(filter).length < 2) expect([filter, all.length > 5]).toEqual([filter, true]);
    }
  });

  test('and a read find no message of another organization', async () => {
    const other = world.actor().organizationId;
    for (const filter of [{}, { contactId: CONTACTS[0] }]) {
      const page = await listMessagePage(world.reading, other, 'sms', filter, { skip: 0, limit: 50 });
      expect(page).toEqual({ items: [], total: 0 });
    }
    const id = parseId('message', stored[0]?.id);
    expect(await readMessage(world.table, other, id)).toBeUndefined();
    expect((await readMessage(world.table, actor.organizationId, id))?.id).toBe(id);
  });
});
