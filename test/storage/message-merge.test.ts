import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../shared/domain/channels/registry.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { UNIFIED_STATUSES, unifiedStatus } from '../../shared/domain/tracking/views.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { mergeNewest } from '../../shared/storage/client/merge-newest.ts';
import { listAllMessages, type UnifiedFilter } from '../../shared/storage/messages/message-merge.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { accepted } from '../support/accepted.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_121;

describe('a merge of sorted lists', () => {
  /** A list in pages of any length, some of them empty; `taken`: how many of its items were read. */
  const inPages = (items: readonly string[], cuts: readonly number[]) => {
    let at = 0;
    let reads = 0;
    const source = async () => {
      reads++;
      if (at >= items.length) return undefined;
      const page = items.slice(at, at + (cuts[reads % cuts.length] ?? 1));
      at += page.length;
      return page;
    };
    return { source, taken: () => at };
  };
  const lists = fc.array(fc.uniqueArray(fc.string({ minLength: 1, maxLength: 6 }), { maxLength: 30 }), {
    maxLength: 6,
  });

  test('has the same items as all of them sorted together, for any lists, pages, skip and limit', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.array(fc.integer({ min: 0, max: 7 }), { minLength: 1, maxLength: 5 }).filter((cuts) => cuts.some(Boolean)),
        fc.nat({ max: 60 }),
        fc.integer({ min: 1, max: 40 }),
        async (given, cuts, skip, limit) => {
          const descending = (items: string[]) => items.sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
          const each = given.map((list, of) => descending(list.map((text) => `${text}#${of}`)));
          const sources = each.map((list) => inPages(list, cuts).source);
          const merged = await mergeNewest(sources, (item) => item, skip, limit);
          expect(merged).toEqual(descending(each.flat()).slice(skip, skip + limit));
        },
      ),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  test('reads of each list only the pages that it needs, however long the list is', async () => {
    const long = Array.from({ length: 10_000 }, (_, at) => String(99_999 - at));
    const each = [long, long.map((text) => `0${text}`)].map((list) => inPages(list, [50]));
    const sources = each.map(({ source }) => source);
    expect(await mergeNewest(sources, (item) => item, 60, 30)).toEqual(long.slice(60, 90));
    expect(each.map(({ taken }) => taken())).toEqual([100, 50]);
  });
});

describe('a list of messages of all channels', async () => {
  const world = await use(startWorld('live'));
  const CONTACTS = [newId('contact'), newId('contact')] as const;
  const BATCHES = [newId('batch'), newId('batch')] as const;
  const ACCOUNTS = [newId('account'), newId('account')] as const;
  const CONTENTS: Readonly<Record<string, unknown>> = {
    rcs: { text: 'Oi' },
    email: { from: 'ola@loja.example', subject: 'Oi', bodyBytes: 2 },
    whatsapp: { payload: { text: 'Oi' } },
  };
  const used = CHANNELS.filter((channel) => channel === 'sms' || channel in CONTENTS);

  const actor = await world.organization();
  const { id } = accepted(await world.sms(actor));
  const base = (await world.ports.messageStore.read(id)) as MessageRecord;
  const stored = [base];
  for (let at = 1; at < 120; at++) {
    const channel = used[at % used.length] ?? 'sms';
    const record = {
      ...base,
      channel,
      ...(channel === 'sms' ? {} : { content: CONTENTS[channel] }),
      id: `msg_${String((at * 7919) % 1_000).padStart(21, '0')}`,
      createdAt: base.createdAt + Math.floor(at / 5) * 1_000,
      status: (['sent', 'delivered', 'failed', 'undelivered', 'bounced', 'complained', 'queued'] as const)[at % 7],
      ...(at % 11 === 0 ? { archivedAt: base.createdAt } : {}),
      ...(at % 2 === 0 ? { contactId: CONTACTS[(at / 2) % 2] } : {}),
      ...(at % 3 === 0 ? { campaignId: 'natal #1' } : {}),
      ...(at % 5 === 0 ? { numberId: 'num_1', batchId: BATCHES[0] } : {}),
      ...(at % 13 === 0 ? { sentByAccountId: ACCOUNTS[0] } : {}),
    } as unknown as MessageRecord;
    stored.push(record);
    await world.table.write({ put: messageRows.write(record) });
    await world.table.write({ update: KEYS.wallet(actor.organizationId), add: { [channel]: 1 } });
  }
  const EQUAL = ['contactId', 'campaignId', 'numberId', 'batchId', 'sentByAccountId'] as const;
  const expected = (filter: UnifiedFilter) =>
    stored
      .filter(
        (message) =>
          (filter.status === undefined || unifiedStatus(message) === filter.status) &&
          EQUAL.every((name) => filter[name] === undefined || message[name] === filter[name]) &&
          (filter.from === undefined || message.createdAt >= filter.from) &&
          (filter.to === undefined || message.createdAt <= filter.to),
      )
      .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
      .map(({ id }) => id);

  test('has exactly the messages that match, newest first, for any filter, skip and limit', async () => {
    const start = stored[0]?.createdAt ?? 0;
    const moment = fc.integer({ min: -1, max: 25 }).map((second) => start + second * 1_000);
    const filters = fc.record(
      {
        status: fc.constantFrom(...UNIFIED_STATUSES),
        contactId: fc.constantFrom(...CONTACTS, newId('contact')),
        campaignId: fc.constantFrom('natal #1', 'nada'),
        numberId: fc.constantFrom('num_1', 'num_2'),
        batchId: fc.constantFrom(...BATCHES),
        sentByAccountId: fc.constantFrom(...ACCOUNTS),
        from: moment,
        to: moment,
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.nat({ max: 70 }), fc.integer({ min: 1, max: 60 }), async (filter, skip, limit) => {
        const page = await listAllMessages(world.reading, actor.organizationId, filter, { skip, limit });
        const all = expected(filter);
        expect(page.items.map(({ id }) => id)).toEqual(all.slice(skip, skip + limit));
        expect(page.total).toBe(all.length);
      }),
      { seed: SEED, numRuns: 200 },
    );
    expect(expected({})).toHaveLength(120);
  });

  test('has no message of another organization, by any filter', async () => {
    const other = (await world.organization(1_000)).organizationId;
    await world.table.write({ update: KEYS.wallet(other), add: { sms: 1, rcs: 1 } });
    for (const filter of [{ contactId: CONTACTS[0] }, { batchId: BATCHES[0] }, { campaignId: 'natal #1' }, { from: 0 }])
      expect(await listAllMessages(world.reading, other, filter, { skip: 0, limit: 50 })).toEqual({
        items: [],
        total: 0,
      });
  });
});
