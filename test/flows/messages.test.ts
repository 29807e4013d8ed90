import { describe, expect, test, vi } from 'vitest';
import type { Client } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { queueSms } from '../support/queued.ts';
import { startReceiver } from '../support/receiver.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { use } from '../support/use.ts';
import { becomes, idsOf, keyed, kindsOf, PATIENCE, walletOf } from './support.ts';

const HOUR = 3_600_000;
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

const messaging = await sharedMessaging();
const receiver = await use(startReceiver());
const tenant = await messaging.tenant();

const rcs = (client: Client, to: string) =>
  client.post('/v2/rcs/messages', { to, content: { text: 'Seu pedido saiu.' }, route: 'easy_rcs' }, keyed());
const read = async (id: string) => (await tenant.test.get(`/messages/${id}`)).body;
const act = (id: string, what: string, body?: unknown, headers = {}) =>
  tenant.test.call('POST', `/messages/${id}/${what}`, { headers, ...(body === undefined ? {} : { body }) });
const reaches = (id: string, status: string) => becomes(tenant.test, `/messages/${id}`, { status });
const queue = () => queueSms(messaging, tenant, Date.now() + HOUR);

describe('a message', () => {
  test('has the same form on all channels, whichever operation sent it', async () => {
    const contactId = (await tenant.test.post('/contacts', { phone: '+5511999990005' })).body.id;
    const sms = (await tenant.test.send({ contactId, campaignId: 'natal', metadata: { pedido: 'A-1' } })).body;
    const common = { organizationId: tenant.id, direction: 'outbound', type: 'text', priority: 'normal', force: false };
    expect(await read(sms.id)).toEqual({
      ...common,
      id: sms.id,
      channel: 'sms',
      to: '+5511999990005',
      status: 'sent',
      payload: { text: 'Seu pedido saiu.' },
      contactId,
      campaignId: 'natal',
      metadata: { pedido: 'A-1' },
      attempts: 1,
      platformMessageId: expect.any(String),
      createdAt: instant,
      updatedAt: instant,
      sentAt: instant,
    });
    const { id } = (await rcs(tenant.test, '+5511999990005')).body;
    expect(await read(id)).toMatchObject({ ...common, id, channel: 'rcs', payload: { text: 'Seu pedido saiu.' } });
    await reaches(sms.id, 'delivered');
    await reaches(id, 'delivered');
  });

  test('that its channel calls undelivered has failed, with the reason', async () => {
    const { id } = (await tenant.test.send({ to: '+5511999990006' })).body;
    await reaches(id, 'failed');
    expect(await read(id)).toMatchObject({
      reason: 'carrier_rejected',
      lastError: 'carrier_rejected',
      failedAt: instant,
    });
    expect((await tenant.test.get(`/v2/sms/messages/${id}`)).body.status).toBe('undelivered');
    expect(idsOf((await tenant.test.get('/messages', { status: 'failed' })).body.items)).toContain(id);
  });

  test('masks its recipient without pii:full, in a read, a list and a resend', async () => {
    const { id } = await queue();
    const masked = await messaging.limited(tenant.test, ['messages:read', 'messages:send']);
    const answers = [
      await masked.get(`/messages/${id}`),
      await masked.get('/messages', { limit: 1 }),
      await masked.post(`/messages/${id}/resend`, {}),
    ];
    for (const { text } of answers) {
      expect(text).toContain('+55119****0005');
      expect(text).not.toContain('+5511999990005');
    }
  });
});

describe('the list of messages', () => {
  test('contains all channels newest first, and pages without a gap or a repeat', async () => {
    const owner = await messaging.tenant();
    const sent: string[] = [];
    for (let at = 0; at < 14; at++) {
      const { body } =
        at % 3 === 0
          ? await rcs(owner.test, '+5511999990099')
          : await owner.test.send({ to: '+5511999990099', campaignId: at % 2 ? 'a' : 'b' });
      sent.unshift(body.id);
    }
    const ids: string[] = [];
    for (let skip = 0; skip < 15; skip += 5) {
      const { body } = await owner.test.get('/messages', { limit: 5, skip });
      expect(body.total).toBe(14);
      ids.push(...idsOf(body.items));
    }
    expect(ids).toEqual(sent);
    const { body } = await owner.test.get('/messages', { campaignId: 'a', status: 'sent' });
    expect(body.total).toBe(body.items.length);
    expect(idsOf(body.items)).toEqual(sent.filter((_, at) => [1, 5, 7, 11, 13].includes(13 - at)));
  });

  test.each([
    { limit: 201 },
    { limit: 0 },
    { skip: -1 },
    { status: 'undelivered' },
    { from: 'yesterday' },
    { phone: '1' },
  ])('refuses %o with 400', async (query) => {
    expectProblem(await tenant.test.get('/messages', query as never), 400);
  });
});

describe('the timeline of a message', () => {
  test('has every decision, oldest first, down to the last webhook', async () => {
    const owner = await messaging.tenant();
    const { body: webhook } = await owner.test.post('/webhooks', { url: receiver.url, events: ['sms.delivered'] });
    const { body: sms } = await owner.test.send({ to: '+5511999990005' });
    const timeline = async () => (await owner.test.get(`/messages/${sms.id}/timeline`)).body.items;
    type Step = { at: string; kind: string; detail: string; coins?: number };
    await vi.waitFor(
      async () => expect((await timeline()).filter(({ kind }: Step) => kind === 'webhook')).toHaveLength(2),
      PATIENCE,
    );
    const steps: Step[] = await timeline();
    expect(kindsOf(steps)).toEqual([
      'contact',
      'consent',
      'price_band',
      'hold',
      'route',
      'provider',
      'receipt',
      'webhook',
      'webhook',
    ]);
    expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).sort());
    expect(steps.filter(({ kind }) => kind === 'hold' || kind === 'provider').map(({ coins }) => coins)).toEqual([
      sms.billing.coins,
      sms.billing.coins,
    ]);
    expect(steps.at(-2)?.detail).toContain(`sms.delivered is handed to ${webhook.id} as number 1`);
    expect(steps.at(-1)?.detail).toMatch(/answered 200 in \d+ ms$/);
    expect(JSON.stringify(steps)).not.toMatch(/999990005|Seu pedido/);
  });

  test('of a cancelled message ends with the cancellation', async () => {
    const { id, coins } = await queue();
    await act(id, 'cancel');
    const { items } = (await tenant.test.get(`/messages/${id}/timeline`)).body;
    expect(items.at(-1)).toEqual({ at: instant, kind: 'operator', detail: 'cancelled; hold released', coins });
  });
});

describe('a queued message', () => {
  test('that is cancelled has failed, is refunded and never sent; 409 when repeated or already sent', async () => {
    const owner = await messaging.tenant();
    const { id } = await queueSms(messaging, owner, Date.now() + HOUR);
    const before = await walletOf(owner.test);
    expect(before.heldCoins).toBeGreaterThan(0);
    const { status, body } = await owner.test.call('POST', `/messages/${id}/cancel`);
    expect({ status, body }).toMatchObject({ status: 200, body: { id, status: 'failed', reason: 'cancelled' } });
    const after = await walletOf(owner.test);
    expect([after.heldCoins, after.balanceCoins]).toEqual([0, before.balanceCoins + before.heldCoins]);
    expectProblem(await owner.test.call('POST', `/messages/${id}/cancel`), 409);
    const sent = (await owner.test.send()).body.id;
    for (const what of ['cancel', 'force'])
      expectProblem(await owner.test.call('POST', `/messages/${sent}/${what}`), 409);
    await checkMoney(messaging.tables.test, owner.id);
  });

  test('that is forced is sent immediately', async () => {
    const { id } = await queue();
    const { status, body } = await act(id, 'force');
    expect({ status, body }).toMatchObject({ status: 202, body: { id, status: 'queued', force: true } });
    await reaches(id, 'delivered');
  });
});
