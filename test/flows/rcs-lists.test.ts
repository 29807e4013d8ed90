import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../support/api.ts';
import { pagesOf } from '../support/pages.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { idsOf, keyed, pairsOf } from './support.ts';

const PATH = '/v2/rcs/messages';
type Query = Readonly<Record<string, string | number>>;
interface Listed {
  readonly id: string;
  readonly status: string;
  readonly channel?: string;
  readonly campaignId?: string;
}
/** The sandbox's outcomes: ending of the recipient, final status, and the channel that delivered. */
const OUTCOMES = [
  ['0005', 'delivered', 'rcs'],
  ['0021', 'delivered', 'sms'],
  ['0008', 'failed', undefined],
  ['0099', 'sent', undefined],
  ['0025', 'read', 'rcs'],
] as const;
const CAMPAIGNS = ['launch', 'launch#2 / é', undefined];

const send = (client: Client, fields: Readonly<Record<string, unknown>> = {}) =>
  client.post(
    PATH,
    { to: '+5511999990005', content: { text: 'Oi' }, fallback: { text: 'Oi' }, route: 'easy_rcs', ...fields },
    keyed(),
  );
const list = (query: Query = {}) => tenant.test.get(PATH, query);

/** The whole list, page by page. No page exceeds its limit, and only the last has no cursor. */
const walk = async (client: Client, query: Query): Promise<string[]> => {
  const pages = await pagesOf(async (cursor) => {
    const { status, body } = await client.get(PATH, { ...query, ...(cursor === undefined ? {} : { cursor }) });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(body.nextCursor === undefined ? ['items'] : ['items', 'nextCursor']);
    expect(body.items.length).toBeLessThanOrEqual(Number(query.limit ?? 50));
    return body;
  });
  return pages.flatMap(({ items }) => idsOf(items));
};

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();
const stranger = await messaging.tenant();
/** Every message of the tenant in its final state, newest first. */
const all: Listed[] = [];
for (let at = 0; at < 30; at++) {
  const [ending, status, channel] = OUTCOMES[at % OUTCOMES.length] ?? OUTCOMES[0];
  const campaignId = CAMPAIGNS[Math.floor(at / 2) % 3];
  const { body } = await send(tenant.test, { to: `+551199999${ending}`, campaignId });
  all.unshift({ ...body, status, ...(channel ? { channel } : {}) });
  if (at % 10 === 0) await Promise.all([send(stranger.test, { campaignId }), tenant.test.send({ campaignId })]);
}
const reported = async () => {
  const [sending, read] = await Promise.all([list({ status: 'sent' }), list({ status: 'read' })]);
  expect([sending.body.items.length, read.body.items.length]).toEqual([6, 6]);
};
await vi.waitFor(reported, { timeout: 45_000, interval: 300 });

const wanted = (filter: Readonly<Record<string, string | undefined>>) =>
  idsOf(
    all.filter((message) =>
      (['status', 'channel', 'campaignId'] as const).every((name) => !filter[name] || message[name] === filter[name]),
    ),
  );

describe('the list of RCS messages', () => {
  test('is complete, newest first, without SMS, with items equal to their reads', async () => {
    const { status, body } = await list();
    expect({ status, fields: Object.keys(body), ids: idsOf(body.items) }).toEqual({
      status: 200,
      fields: ['items'],
      ids: idsOf(all),
    });
    for (const item of body.items.slice(0, 5)) {
      expect((await tenant.test.get(`${PATH}/${item.id}`)).body).toEqual(item);
      for (const field of ['billing', 'replayed', 'fallback']) expect(item).not.toHaveProperty(field);
    }
  });

  const filters = ['queued', 'sent', 'delivered', 'read', 'failed', undefined].flatMap((status) =>
    ['rcs', 'sms', undefined].flatMap((channel) =>
      ['launch', 'launch#2 / é', 'none', undefined].map((campaignId) => ({ status, channel, campaignId })),
    ),
  );
  test('pages exactly what each combination of filters matches, at any page size', async () => {
    for (const [turn, filter] of filters.entries()) {
      const query = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Query;
      const found = await walk(tenant.test, { ...query, limit: 1 + (turn % 7) });
      expect([filter, found]).toEqual([filter, wanted(filter)]);
    }
  });

  test('shows the channel of the messages that were delivered, and of no others', async () => {
    const { body } = await list();
    expect(body.items.map(({ channel }: Listed) => channel)).toEqual(all.map(({ channel }) => channel));
  });

  test('contains nothing of the other environment', async () => {
    expect((await tenant.live.get(PATH)).body).toEqual({ items: [] });
    expect((await tenant.live.get(PATH, { campaignId: 'launch' })).body).toEqual({ items: [] });
  });

  test('has 50 items a page by default, at most 200', async () => {
    const other = await messaging.tenant();
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 17 }, () => send(other.test)));
    const sizes = await Promise.all(
      [{}, { limit: 50 }, { limit: 51 }, { limit: 200 }].map(async (query) => {
        const { body } = await other.test.get(PATH, query as Query);
        return [body.items.length, typeof body.nextCursor];
      }),
    );
    expect(sizes).toEqual([
      [50, 'string'],
      [50, 'string'],
      [51, 'undefined'],
      [51, 'undefined'],
    ]);
    expect(new Set(await walk(other.test, {})).size).toBe(51);
  });

  test('shows each message once even if others arrive between two pages', async () => {
    const other = await messaging.tenant();
    const old: string[] = [];
    for (let at = 0; at < 6; at++) old.unshift((await send(other.test)).body.id);
    const first = (await other.test.get(PATH, { limit: 3 })).body;
    await send(other.test);
    const second = (await other.test.get(PATH, { limit: 3, cursor: first.nextCursor })).body;
    expect([...idsOf(first.items), ...idsOf(second.items)]).toEqual(old);
    expect(second).not.toHaveProperty('nextCursor');
  });

  test('needs rcs:read', async () => {
    const sender = await messaging.limited(tenant.test, ['rcs:send', 'sms:read']);
    expectProblem(await sender.get(PATH), 403);
    expectProblem(await messaging.anonymous.get(PATH), 401);
  });

  const INVALID = {
    limit: ['0', '201', 'x', ''],
    status: ['sending', 'undelivered'],
    channel: ['whatsapp'],
    campaignId: ['x'.repeat(129)],
    cursor: ['', 'x', 'x'.repeat(3_000)],
    order: ['skip'],
  };
  test.each(pairsOf(INVALID))('refuses %s=%s with 400 and the path', async (name, value) => {
    expectProblem(await list({ [name]: value }), 400, { errors: [name] });
  });
});

describe('a cursor of the list', () => {
  const cursorOf = async (query: Query) => String((await list({ ...query, limit: 2 })).body.nextCursor);

  test('continues with another page size', async () => {
    const cursor = await cursorOf({});
    expect(idsOf((await list({ cursor, limit: 200 })).body.items)).toEqual(idsOf(all).slice(2));
  });

  test('is 400 once altered, or for another organization, environment or filter', async () => {
    const cursor = await cursorOf({ campaignId: 'launch' });
    expect((await list({ cursor, campaignId: 'launch' })).status).toBe(200);
    const stranger = await messaging.tenant();
    for (const client of [stranger.test, tenant.live])
      expectProblem(await client.get(PATH, { cursor, campaignId: 'launch' }), 400, { errors: ['cursor'] });
    const queries: Query[] = [{}, { campaignId: 'none' }, { campaignId: 'launch', status: 'sent' }];
    for (const query of queries) expectProblem(await list({ ...query, cursor }), 400, { errors: ['cursor'] });
    for (const at of [0, 21, 43, cursor.length - 3]) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      expectProblem(await list({ cursor: changed, campaignId: 'launch' }), 400, { errors: ['cursor'] });
    }
  });

  test('holds no personal data', async () => {
    const position = Buffer.from((await cursorOf({})).slice(43), 'base64url').toString();
    expect(Object.keys(JSON.parse(position))).toEqual(['pk', 'sk', 'at']);
    expect(position).not.toMatch(/\+55|99999/);
  });
});
