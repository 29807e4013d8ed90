import { beforeAll, describe, expect, test } from 'vitest';
import { type Id, newId } from '../../shared/domain/core/ids.ts';
import { asCoins } from '../../shared/domain/core/money.ts';
import { isoTime } from '../../shared/domain/core/time.ts';
import { newEvent } from '../../shared/domain/events/event.ts';
import type { ReplyRecord } from '../../shared/domain/inbound/sms-reply.ts';
import { keepReply } from '../../shared/storage/messages/replies.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { expectProblem } from '../support/problems.ts';
import { use } from '../support/use.ts';

const START = Date.parse('2026-03-10T12:00:00.000Z');
/** Replies of the tenant, newest first. */
const replies: ReplyRecord[] = [];
const answered: string[] = [];

/** A reply as a provider's callback leaves it. */
const keep = async (owner: Tenant, inReplyTo: string, at: number): Promise<ReplyRecord> => {
  const organizationId = owner.id;
  const reply: ReplyRecord = {
    id: newId('reply'),
    organizationId,
    env: 'test',
    inReplyTo: inReplyTo as Id<'message'>,
    route: at % 2_000 ? 'otp' : 'premium',
    from: '+5511999990005',
    body: `Resposta ${at} é 🙂`,
    coins: asCoins(200),
    receivedAt: at - 500,
    createdAt: at,
  };
  await keepReply(
    messaging.tables.test,
    reply,
    newEvent({ type: 'sms.received', organizationId, env: 'test', createdAt: at, data: { id: reply.id } }),
  );
  return reply;
};

const messaging = await use(startMessaging());
const tenant = await messaging.tenant();
beforeAll(async () => {
  for (let at = 0; at < 3; at++) answered.push((await tenant.test.send()).body.id);
  for (let at = 0; at < 12; at++) replies.unshift(await keep(tenant, answered[at % 3] ?? '', START + at * 1_000));
  const other = await messaging.tenant();
  await keep(other, (await other.test.send()).body.id, START + 500);
});

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

  test('filtered by inReplyTo, from and to in every combination pages exactly what matches, with its total', async () => {
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

  test('has limits of 1 to 200, and refuses what is no such query with 422', async () => {
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

  test('shows nothing of another organization or environment, also when asked for its message', async () => {
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
  test('is read by its id, with the same fields', async () => {
    const [reply] = replies;
    const { status, body } = await tenant.test.get(`/v2/sms/replies/${reply?.id}`);
    expect({ status, body }).toEqual({ status: 200, body: viewOf(reply as ReplyRecord) });
  });

  test('masks who replied without pii:full, and so does the list', async () => {
    const masking = await messaging.limited(tenant.test, ['sms:read']);
    expect((await masking.get(`/v2/sms/replies/${replies[0]?.id}`)).body.from).toBe('+55119****0005');
    expect((await masking.get('/v2/sms/replies', { limit: 1 })).body.items[0].from).toBe('+55119****0005');
  });

  test('needs sms:read, and is 404 when it is not there', async () => {
    const sender = await messaging.limited(tenant.test, ['sms:send']);
    for (const path of ['/v2/sms/replies', `/v2/sms/replies/${replies[0]?.id}`])
      expectProblem(await sender.get(path), 403);
    for (const id of ['rpl_000000000000000000000', answered[0], 'x'])
      expectProblem(await tenant.test.get(`/v2/sms/replies/${id}`), 404);
  });

  test('costs R$ 0.02 once, as an adjustment of the ledger', async () => {
    const { items } = (await tenant.test.get('/v2/wallet/entries')).body;
    const charged = items.filter(({ kind }: { kind: string }) => kind === 'adjustment');
    expect(charged).toHaveLength(12);
    expect(new Set(charged.map(({ coins }: { coins: number }) => coins))).toEqual(new Set([-200]));
    expect((await tenant.test.get('/v2/wallet')).body.balanceCoins).toBe(10_000_000 - 3 * 800 - 12 * 200);
  });
});
