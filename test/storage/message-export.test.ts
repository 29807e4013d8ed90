import { describe, expect, test } from 'vitest';
import type { Actor } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import type { InboundMessage, StoredMessage } from '../../shared/domain/message/inbound-message.ts';
import type { MessageRecord } from '../../shared/domain/message/message.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { QueryRange } from '../../shared/storage/client/table.ts';
import { exportPage } from '../../shared/storage/exports/message-export.ts';
import { inboundRows } from '../../shared/storage/messages/inbound-rows.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { accepted } from '../support/accepted.ts';
import { pagesOf } from '../support/pages.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const vault = createVault(Buffer.alloc(32, 7));
const world = await use(startWorld('live'));
const actor = await world.organization();
const { organizationId, env } = actor;
const base = (await world.ports.messageStore.read(accepted(await world.sms(actor)).id)) as MessageRecord;
const start = world.now;

/** Messages of a minute: sent on several lanes, and every fourth received; several share each moment. */
const madeAt = (at: number, fields: Partial<MessageRecord> = {}): StoredMessage => {
  const createdAt = start + 1_000 + Math.floor(at / 3);
  if (at % 4 !== 0) return { ...base, id: newId('message'), createdAt, lane: at % 10, ...fields } as MessageRecord;
  const received: InboundMessage = {
    id: newId('message'),
    organizationId,
    env,
    direction: 'inbound',
    channel: 'sms',
    type: 'text',
    status: 'delivered',
    from: '+5511987654321',
    fromHash: `hash-${at}`,
    to: '28149',
    payload: { text: 'Sim' },
    providerMessageId: `in-${at}`,
    sentAt: createdAt,
    createdAt,
    decisions: [],
  };
  return received;
};
const rowOf = (message: StoredMessage) =>
  message.direction === 'inbound' ? inboundRows.write(message) : messageRows.write(message);
const store = async (messages: readonly StoredMessage[]) => {
  for (let at = 0; at < messages.length; at += 100)
    await world.table.transact(messages.slice(at, at + 100).map((message) => ({ put: rowOf(message) })));
};

const stored: StoredMessage[] = Array.from({ length: 1_300 }, (_, at) => madeAt(at));
await store(stored);
// As if the organization had been sending on ten lanes.
await world.table.write({ update: KEYS.wallet(organizationId), set: { ledgers: 10 } });

/** An organization's page by cursor, with the queries that it made counted. */
const page = async (of: Actor, window: { from: number; to: number }, limit: number, cursor?: string) => {
  const queried: (number | undefined)[] = [];
  const table = Object.assign(Object.create(world.table), {
    get: world.table.get.bind(world.table),
    getMany: world.table.getMany.bind(world.table),
    query: (range: QueryRange) => {
      queried.push(range.limit);
      return world.table.query(range);
    },
  });
  const scope = { organizationId: of.organizationId, env: of.env, query: { ...window } };
  const answer = await exportPage(
    table,
    'sms',
    window,
    { vault, scope, cursor, limit },
    ({ id, contactId }, externalId) => ({
      id,
      contactId,
      externalId,
    }),
  );
  return { ...accepted(answer), queried };
};
const idsOf = (pages: readonly { readonly items: readonly { readonly id: string }[] }[]) =>
  pages.flatMap(({ items }) => items.map(({ id }) => id));
const expected = (messages: readonly StoredMessage[], { from, to }: { from: number; to: number }) =>
  messages
    .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    .sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);

describe('an export', () => {
  test('has page after page each message of its window once, sent and received, while new ones come', async () => {
    const window = { from: start + 1_050, to: start + 1_400 };
    for (const limit of [37, 500, 1_000]) {
      const pages = await pagesOf(async (cursor) => {
        const read = await page(actor, window, limit, cursor);
        await store(
          [madeAt(1_300 + limit), madeAt(1_301 + limit)].map((each) => ({ ...each, createdAt: window.to + 1_000 })),
        );
        return read;
      });
      expect(idsOf(pages)).toEqual(expected(stored, window));
      for (const { items } of pages.slice(0, -1)) expect(items).toHaveLength(limit);
    }
  });

  test('reads a page and one entry more of each list, however long the export', async () => {
    const { queried, items } = await page(actor, { from: start, to: start + 10_000 }, 50);
    expect(items).toHaveLength(50);
    // The list of quiet times, eight shards, and what was received.
    expect(queried).toEqual(Array.from({ length: 10 }, () => 51));
  });

  test('ends a page early if its messages exceed the size of an answer, and continues without a gap', async () => {
    const other = await world.organization();
    const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`k${at}`, '"'.repeat(256)]));
    const wide = Array.from(
      { length: 450 },
      (_, at) =>
        ({
          ...base,
          id: newId('message'),
          organizationId: other.organizationId,
          metadata,
          createdAt: start + at,
        }) as MessageRecord,
    );
    await store(wide);
    const window = { from: start, to: start + 10_000 };
    const request = { vault, scope: { organizationId: other.organizationId, env, query: window }, limit: 1_000 };
    const pages = await pagesOf(async (cursor) =>
      accepted(
        await exportPage(world.table, 'sms', window, { ...request, cursor }, (message) => ({
          id: message.id,
          metadata: message.direction === 'outbound' ? message.metadata : undefined,
        })),
      ),
    );
    expect(pages.length).toBeGreaterThan(1);
    for (const { items } of pages) expect(JSON.stringify(JSON.stringify(items)).length).toBeLessThan(6_000_000);
    expect(idsOf(pages)).toEqual(expected(wide, window));
  });

  test('names the external id of a contact, and that of no other organization', async () => {
    const other = await world.organization();
    const [own, theirs] = [newId('contact'), newId('contact')];
    const contact = (id: typeof own, org: string, externalId: string) => ({
      put: { ...KEYS.contact(id), org, externalId },
    });
    await world.table.transact([contact(own, other.organizationId, 'c-1'), contact(theirs, organizationId, 'c-2')]);
    const named = [own, theirs, own].map(
      (contactId, at) =>
        ({
          ...base,
          id: newId('message'),
          organizationId: other.organizationId,
          contactId,
          createdAt: start + at,
        }) as MessageRecord,
    );
    await store(named);
    const { items } = await page(other, { from: start, to: start + 10 }, 10);
    expect(items.map(({ externalId }) => externalId)).toEqual(['c-1', undefined, 'c-1']);
  });

  test('refuses the cursor of another organization, environment or window', async () => {
    const window = { from: start, to: start + 10_000 };
    const { nextCursor: cursor } = await page(actor, window, 1);
    const stranger = await world.organization();
    for (const [of, other] of [
      [stranger, window],
      [{ ...actor, env: 'test' as const }, window],
      [actor, { ...window, to: window.to + 1 }],
    ] as const)
      await expect(page(of, other, 1, cursor)).rejects.toThrow(/cursor/);
  });
});
