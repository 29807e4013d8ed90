import { describe, expect, test, vi } from 'vitest';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { idsOf, pairsOf } from './support.ts';

interface Listed {
  readonly id: string;
  readonly status: string;
  readonly to: string;
  readonly createdAt: string;
  readonly contactId?: string;
  readonly campaignId?: string;
}
/** Recipients of both regions, with the final status that their ending selects in the sandbox. */
const RECIPIENTS = [
  ['+5511999990005', 'delivered'],
  ['+351912340005', 'delivered'],
  ['+5511999990008', 'failed'],
  ['+351912340006', 'undelivered'],
  ['+5521999990099', 'sent'],
  ['+5511999990006', 'undelivered'],
] as const;
const CAMPAIGNS = ['launch', 'launch#2 / é', undefined];
const FILTERS = ['status', 'region', 'contactId', 'campaignId', 'phone', 'from', 'to'] as const;

const list = (query: Record<string, string | number> = {}) => tenant.test.get('/v2/sms/messages', query);
const wait = { timeout: 45_000, interval: 200 };

const seed = async (): Promise<Listed[]> => {
  const phones = ['+5511999990001', '+5511999990002'];
  const contacts = await Promise.all(
    phones.map(async (phone) => (await tenant.test.post('/contacts', { phone })).body.id),
  );
  const sent: Listed[] = [];
  for (let at = 0; at < 36; at++) {
    const [to, status] = RECIPIENTS[at % RECIPIENTS.length] ?? RECIPIENTS[0];
    const fields = { to, contactId: [...contacts, undefined][at % 3], campaignId: CAMPAIGNS[Math.floor(at / 3) % 3] };
    const { body } = await tenant.test.send({ ...fields, route: at % 2 ? 'otp' : 'premium' });
    sent.unshift({ ...body, status });
  }
  return sent;
};

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();
/** Every message of the tenant in its final state, newest first. */
const [all] = await Promise.all([
  seed(),
  Promise.all(Array.from({ length: 3 }, () => messaging.tenant())).then((others) =>
    Promise.all(others.map((other) => other.test.send())),
  ),
]);
await vi.waitFor(async () => expect((await list({ status: 'sent' })).body.total).toBe(6), wait);

const wanted = (filter: Readonly<Record<string, string>>) =>
  all.filter(
    (message) =>
      (!filter.status || message.status === filter.status) &&
      (!filter.region || (filter.region === 'BR') === message.to.startsWith('+55')) &&
      (!filter.contactId || message.contactId === filter.contactId) &&
      (!filter.campaignId || message.campaignId === filter.campaignId) &&
      (!filter.phone || message.to === filter.phone) &&
      (!filter.from || message.createdAt >= filter.from) &&
      (!filter.to || message.createdAt <= filter.to),
  );

/** Values of some filters that match the message. */
const filterOf = (names: readonly string[], message: Listed): Record<string, string> => {
  const at = all.indexOf(message);
  const values = {
    status: message.status,
    region: message.to.startsWith('+55') ? 'BR' : 'INTL',
    contactId: message.contactId ?? '',
    campaignId: message.campaignId ?? '',
    phone: message.to,
    from: all[Math.min(at + 14, all.length - 1)]?.createdAt ?? '',
    to: all[Math.max(at - 9, 0)]?.createdAt ?? '',
  };
  return Object.fromEntries(FILTERS.filter((name) => names.includes(name)).map((name) => [name, values[name]]));
};

describe('the list of SMS', () => {
  test('is complete and newest first, with items equal to their reads', async () => {
    const { status, body } = await list();
    expect({ status, total: body.total, fields: Object.keys(body) }).toEqual({
      status: 200,
      total: 36,
      fields: ['items', 'total'],
    });
    expect(idsOf(body.items)).toEqual(idsOf(all));
    for (const item of body.items.slice(0, 6)) {
      expect((await tenant.test.get(`/v2/sms/messages/${item.id}`)).body).toEqual(item);
      for (const field of ['billing', 'replayed']) expect(item).not.toHaveProperty(field);
    }
  });

  const combinations = Array.from({ length: 2 ** FILTERS.length }, (_, bits) =>
    FILTERS.filter((_, at) => bits & (1 << at)),
  );
  test.each(FILTERS.map((first) => [first, combinations.filter((names) => names.includes(first))] as const))(
    'filtered by %s, alone and with every combination of the others, pages exactly what matches, with the total',
    async (_, sets) => {
      const full = all.filter(({ contactId, campaignId }) => contactId && campaignId);
      const checks = sets.map(async (names, turn) => {
        const filter = filterOf(names, full[(turn * 7) % full.length] as Listed);
        const [limit, skip] = [1 + (turn % 5), turn % 3];
        const expected = wanted(filter);
        const [whole, page] = await Promise.all([list({ ...filter, limit: 200 }), list({ ...filter, limit, skip })]);
        expect([filter, idsOf(whole.body.items), whole.body.total]).toEqual([filter, idsOf(expected), expected.length]);
        expect([filter, idsOf(page.body.items), page.body.total]).toEqual([
          filter,
          idsOf(expected.slice(skip, skip + limit)),
          expected.length,
        ]);
        expect(expected.length).toBeGreaterThan(0);
      });
      await Promise.all(checks);
    },
    30_000,
  );

  test.each(['queued', 'sending', 'sent', 'delivered', 'failed', 'undelivered'])(
    'can be filtered by the status %s',
    async (status) => {
      const { body } = await list({ status });
      expect([body.total, idsOf(body.items)]).toEqual([wanted({ status }).length, idsOf(wanted({ status }))]);
    },
  );

  test('is empty for a contact, campaign or phone without messages', async () => {
    for (const query of [
      { contactId: 'cnt_000000000000000000000' },
      { campaignId: 'none' },
      { phone: '+5511999991111' },
      { contactId: '#' },
    ])
      expect((await list(query as Record<string, string>)).body).toEqual({ items: [], total: 0 });
  });

  test('includes both ends of its time range, in any time zone', async () => {
    const { createdAt, id } = all[5] as Listed;
    const local = new Date(Date.parse(createdAt) - 3 * 3_600_000).toISOString().replace('Z', '-03:00');
    for (const at of [createdAt, local]) expect(idsOf((await list({ from: at, to: at })).body.items)).toContain(id);
    expect(
      (await list({ from: all[0]?.createdAt ?? '', to: all[35]?.createdAt ?? '' })).body.total,
    ).toBeLessThanOrEqual(1);
  });

  test('is empty for a range that ends before it begins, and complete for one that spans all time', async () => {
    const backwards = { from: '2026-12-01T00:00:00Z', to: '2026-01-01T00:00:00Z' };
    expect((await list(backwards)).body).toEqual({ items: [], total: 0 });
    expect((await list({ ...backwards, phone: all[0]?.to ?? '' })).body).toEqual({ items: [], total: 0 });
    const whole = { from: '0000-01-01T00:00:00+01:00', to: '9999-12-31T23:59:59-01:00' };
    expect((await list(whole)).body.total).toBe(36);
  });

  test('has 50 items a page by default, at most 200, and the same total on every page', async () => {
    const other = await messaging.tenant();
    for (let round = 0; round < 3; round++) await Promise.all(Array.from({ length: 17 }, () => other.test.send()));
    const sizes = await Promise.all(
      [{}, { skip: 50 }, { skip: 51 }, { limit: 1 }, { limit: 200 }, { skip: 100_000 }].map(async (query) => {
        const { body } = await other.test.get('/v2/sms/messages', query as Record<string, number>);
        return [body.items.length, body.total];
      }),
    );
    expect(sizes).toEqual([
      [50, 51],
      [1, 51],
      [0, 51],
      [1, 51],
      [51, 51],
      [0, 51],
    ]);
  });

  test('contains nothing of the other environment', async () => {
    expect((await tenant.live.get('/v2/sms/messages')).body).toEqual({ items: [], total: 0 });
    const contactId = all.find((message) => message.contactId)?.contactId ?? '';
    const queries: Record<string, string>[] = [{ contactId }, { campaignId: 'launch' }, { phone: '+5511999990005' }];
    for (const query of queries)
      expect((await tenant.live.get('/v2/sms/messages', query)).body).toEqual({ items: [], total: 0 });
    expectProblem(await tenant.live.get(`/v2/sms/messages/${all[0]?.id}`), 404);
  });

  const INVALID = {
    limit: ['0', '201', '-1', '1.5', '', '１０'],
    skip: ['-1', '100001', 'x'],
    from: ['yesterday', '2026-02-30T00:00:00Z', '2026-02-03'],
    to: ['1700000000', ''],
    status: ['read'],
    region: ['US'],
    phone: ['11999990005'],
    contactId: ['x'.repeat(129)],
    campaignId: ['x'.repeat(129)],
    order: ['unknown'],
  };
  test.each(pairsOf(INVALID))('refuses %s=%s with 422 and the path', async (name, value) => {
    expectProblem(await list({ [name]: value }), 422, { errors: [name] });
  });

  test('refuses a repeated parameter: 422', async () => {
    expectProblem(await tenant.test.call('GET', '/v2/sms/messages?limit=1&limit=2'), 422, { errors: ['limit'] });
  });

  test('needs sms:read, like a read', async () => {
    const sender = await messaging.limited(tenant.test, ['sms:send']);
    for (const path of ['/v2/sms/messages', `/v2/sms/messages/${all[0]?.id}`]) {
      expectProblem(await sender.get(path), 403);
      expectProblem(await messaging.anonymous.get(path), 401);
    }
  });

  test('is 404 for a read by an unknown id', async () => {
    for (const id of ['msg_000000000000000000000', 'x', '%00', '..%2F..', 'msg_', encodeURIComponent('é🙂')])
      expectProblem(await tenant.test.get(`/v2/sms/messages/${id}`), 404);
  });
});
