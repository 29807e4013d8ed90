import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sendRcs } from '../../shared/domain/api/send-rcs.ts';
import type { Id } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { MessageFilter } from '../../shared/domain/message/lists.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import type { QueryPage, QueryRange, Table } from '../../shared/storage/client/table.ts';
import { listMessageCursor } from '../../shared/storage/messages/message-lists.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { accepted } from '../support/accepted.ts';
import { pagesOf } from '../support/pages.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const SEED = 20_261_121;
const STORED = 2_600;
const MAX_INDEX_ROWS = 1_000;
const vault = createVault(Buffer.alloc(32, 7));

const world = await use(startWorld('live'));

describe('a page by cursor', async () => {
  const actor = await world.organization();
  const request = { to: '+5511987654321', content: { text: 'Oi' }, route: 'easy_rcs' } as const;
  const { id } = (await sendRcs(world.ports, actor, 'first', request)) as { id: Id<'message'> };
  const base = (await world.ports.messageStore.read(id)) as MessageRecord;
  /** Every message, newest first. */
  const stored = Array.from(
    { length: STORED },
    (_, at) =>
      ({
        ...base,
        id: `msg_${String(at).padStart(21, '0')}`,
        // Several share each moment, as they do in a burst.
        createdAt: base.createdAt + 1_000 + Math.floor(at / 3),
        status: (['sent', 'delivered', 'failed'] as const)[at % 3],
        // Rare ones: the first of all, and one in the middle.
        via: at === 0 || at === 1_300 ? 'sms' : 'rcs',
        ...(at % 7 === 0 ? { campaignId: 'natal #1' } : {}),
      }) as MessageRecord,
  );
  for (let from = 0; from < STORED; from += 100)
    await world.table.transact(stored.slice(from, from + 100).map((message) => ({ put: messageRows.write(message) })));
  stored.push({ ...base });
  stored.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1));
  const expected = (filter: MessageFilter) =>
    stored
      .filter(
        (message) =>
          (filter.status === undefined || [filter.status].flat().includes(message.status)) &&
          (filter.via === undefined || message.via === filter.via) &&
          (filter.campaignId === undefined || message.campaignId === filter.campaignId),
      )
      .map(({ id }) => id);

  /** The table, with the index rows that its queries may have read counted. */
  const counting = () => {
    const counted = { rows: 0, queries: 0 };
    const query = async (range: QueryRange): Promise<QueryPage> => {
      counted.rows += range.limit ?? Number.POSITIVE_INFINITY;
      counted.queries++;
      return world.table.query(range);
    };
    const get: Table['get'] = (...args) => world.table.get(...args);
    const table = { get, query, getMany: (keys: never[]) => world.table.getMany(keys) } as unknown as Table;
    return { counted, table };
  };
  const page = async (filter: MessageFilter, limit: number, cursor?: string) => {
    const { organizationId, env } = actor;
    const scope = { organizationId, env, query: { operation: 'test', ...filter } };
    const { counted, table } = counting();
    const answer = await listMessageCursor(table, 'rcs', filter, { vault, scope, cursor, limit });
    return { ...accepted(answer), counted };
  };

  test('after page has exactly the messages that match, newest first, with bounded reads', async () => {
    const filters = fc.record(
      {
        status: fc.constantFrom<MessageFilter['status']>('sent', 'read', ['delivered', 'failed']),
        via: fc.constantFrom('rcs', 'sms'),
        campaignId: fc.constantFrom('natal #1', 'nada'),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(filters, fc.integer({ min: 120, max: 200 }), async (filter, limit) => {
        const pages = await pagesOf((cursor) => page(filter, limit, cursor));
        for (const { items, counted } of pages) {
          expect(items.length).toBeLessThanOrEqual(limit);
          expect(counted.rows).toBeLessThanOrEqual(MAX_INDEX_ROWS);
          expect(counted.queries).toBeLessThanOrEqual(2);
        }
        expect(pages.flatMap(({ items }) => items.map(({ id }) => id))).toEqual(expected(filter));
      }),
      { seed: SEED, numRuns: 25 },
    );
  });

  test('without a filter reads one row more than it has, however long the list', async () => {
    for (const limit of [1, 50, 200]) {
      const { items, counted } = await page({}, limit);
      expect([items.length, counted]).toEqual([limit, { rows: limit + 1, queries: 1 }]);
    }
  });

  test('of rare matches is short but has a cursor, which finds them in the end', async () => {
    const pages = await pagesOf((cursor) => page({ via: 'sms' }, 50, cursor));
    for (const { counted } of pages) expect(counted.rows).toBeLessThanOrEqual(MAX_INDEX_ROWS);
    expect(pages.map(({ items }) => items.length)).toEqual([0, 1, 1]);
  });

  test('at the end of the list has no cursor', async () => {
    const { items, nextCursor } = await page({ via: 'sms', status: 'sent', campaignId: 'natal #1' }, 1);
    expect([items.length, nextCursor]).toEqual([1, undefined]);
  });
});
