import { describe, expect, test } from 'vitest';
import { isoTime } from '../../shared/domain/core/time.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import type { Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, storeReply } from './support.ts';

const START = Date.parse('2026-03-10T12:00:00.000Z');
/** Replies of the tenant, newest first. */
const replies: ReplyRecord[] = [];
const answered: string[] = [];

/** A reply of which the body, route and times differ. */
const store = (owner: Tenant, inReplyTo: string, at: number) =>
  storeReply(messaging, owner, inReplyTo, {
    route: at % 2_000 ? 'otp' : 'premium',
    body: `Resposta ${at} é 🙂`,
    receivedAt: at - 500,
    createdAt: at,
  });

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();
for (let at = 0; at < 3; at++) answered.push((await tenant.test.send()).body.id);
for (let at = 0; at < 12; at++) replies.unshift(await store(tenant, answered[at % 3] ?? '', START + at * 1_000));
const other = await messaging.tenant();
await store(other, (await other.test.send()).body.id, START + 500);

const list = (query: Record<string, string | number> = {}) => tenant.test.get('/v2/sms/replies', query);
const viewOf = (reply: ReplyRecord) => {
  const { organizationId: _, coins: __, ...shown } = reply;
  return { ...shown, receivedAt: isoTime(reply.receivedAt), createdAt: isoTime(reply.createdAt) };
};

describe('the list of replies', () => {
  test('is newest first, with every field of each', async () => {
    const { status, body } = await list();
    expect({ status, body }).toEqual({ status: 200, body: { items: replies.map(viewOf), total: 12 } });
  });

  test('pages exactly what each combination of inReplyTo, from and to matches, with the total', async () => {
    for (let bits = 0; bits < 8; bits++) {
      const inReplyTo = answered[1] ?? '';
      const [from, to] = [START + 2_000, START + 9_000];
      const query = {
        ...(bits & 1 ? { inReplyTo } : {}),
        ...(bits & 2 ? { from: isoTime(from) } : {}),
        ...(bits & 4 ? { to: isoTime(to) } : {}),
      };
      const expected = replies.filter(
        (reply) =>
          (!(bits & 1) || reply.inReplyTo === inReplyTo) &&
          (!(bits & 2) || reply.createdAt >= from) &&
          (!(bits & 4) || reply.createdAt <= to),
      );
      const [whole, page] = await Promise.all([list(query), list({ ...query, limit: 2, skip: 1 })]);
      expect([query, whole.body]).toEqual([query, { items: expected.map(viewOf), total: expected.length }]);
      expect(page.body).toEqual({ items: expected.slice(1, 3).map(viewOf), total: expected.length });
    }
  });

  test('takes limits of 1 to 200, and refuses an invalid query with 422', async () => {
    for (const limit of [1, 200]) expect((await list({ limit })).status).toBe(200);
    const bad = [
      ['limit', '0'],
      ['limit', '201'],
      ['skip', '-1'],
      ['from', 'now'],
      ['to', '2026-13-01T00:00:00Z'],
      ['inReplyTo', 'x'.repeat(129)],
    ] as const;
    for (const [name, value] of bad) expectProblem(await list({ [name]: value }), 422, { errors: [name] });
    expectProblem(await list({ status: 'sent' }), 422);
  });

  test('contains nothing of another organization or environment, even filtered by its message', async () => {
    const other = await messaging.tenant();
    for (const client of [other.test, tenant.live])
      for (const query of [{}, { inReplyTo: answered[0] ?? '' }])
        expect((await client.get('/v2/sms/replies', query as Record<string, string>)).body).toEqual({
          items: [],
          total: 0,
        });
  });
});

describe('one reply', () => {
  test('is read by its id with the same fields', async () => {
    const [reply] = replies;
    const { status, body } = await tenant.test.get(`/v2/sms/replies/${reply?.id}`);
    expect({ status, body }).toEqual({ status: 200, body: viewOf(reply as ReplyRecord) });
  });

  test('masks its sender without pii:full, also in the list', async () => {
    const masking = await messaging.limited(tenant.test, ['sms:read']);
    expect((await masking.get(`/v2/sms/replies/${replies[0]?.id}`)).body.from).toBe('+55119****0005');
    expect((await masking.get('/v2/sms/replies', { limit: 1 })).body.items[0].from).toBe('+55119****0005');
  });

  test('needs sms:read, and is 404 if unknown', async () => {
    const sender = await messaging.limited(tenant.test, ['sms:send']);
    for (const path of ['/v2/sms/replies', `/v2/sms/replies/${replies[0]?.id}`])
      expectProblem(await sender.get(path), 403);
    for (const id of ['rpl_000000000000000000000', answered[0], 'x'])
      expectProblem(await tenant.test.get(`/v2/sms/replies/${id}`), 404);
  });

  test('costs R$ 0.02 once, as an adjustment in the ledger', async () => {
    const { items } = (await tenant.test.get('/v2/wallet/entries')).body;
    const charged = items.filter(({ kind }: { kind: string }) => kind === 'adjustment');
    expect(charged).toHaveLength(12);
    expect(new Set(charged.map(({ coins }: { coins: number }) => coins))).toEqual(new Set([-200]));
    expect(await balanceOf(tenant.test)).toBe(10_000_000 - 3 * 800 - 12 * 200);
  });
});
