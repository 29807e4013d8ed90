import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { priceRowOf, quoteUnits } from '../../shared/domain/pricing/prices.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { startMessaging } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';

const TO = '+5511999990005';
const WAIT = { timeout: 15_000, interval: 200 };

const messaging = await use(startMessaging());
const tenant = await messaging.tenant();

const create = (body: Readonly<Record<string, unknown>>, key: string = randomUUID(), of = tenant) =>
  of.test.post(
    '/messages',
    { channel: 'sms', to: TO, type: 'text', payload: { text: 'Oi' }, ...body },
    { 'idempotency-key': key },
  );
const statusOf = async (id: string, of = tenant) => (await of.test.get(`/messages/${id}`)).body.status;

describe('a message of the unified create', () => {
  test.each([
    ['sms', TO, { text: 'Oi' }],
    ['email', 'success@simulator.amazonses.com', { email: { subject: 'Oi', text: 'Oi' } }],
  ])(
    'that is cancelled failed on %s without a reason, since the channel has no name for it',
    async (channel, to, payload) => {
      const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
      const { id } = (await create({ channel, to, payload, scheduledAt })).body;
      expect((await tenant.test.call('POST', `/messages/${id}/cancel`)).body).toMatchObject({ reason: 'cancelled' });
      const { body } = await tenant.test.get(`/v2/${channel}/messages/${id}`);
      expect(body).toMatchObject({ id, status: 'failed', failedAt: expect.any(String) });
      expect(body).not.toHaveProperty('reason');
    },
  );

  test('is stored as queued with its price, and leaves by itself', async () => {
    const created = await create({ metadata: { orderId: 'A-1' }, priority: 'critical', campaignId: 'tag' }, 'one');
    expect(created).toMatchObject({
      status: 201,
      body: {
        status: 'queued',
        channel: 'sms',
        direction: 'outbound',
        priority: 'critical',
        force: false,
        attempts: 0,
        payload: { text: 'Oi' },
        billing: { coins: 800 },
        metadata: { orderId: 'A-1' },
        campaignId: 'tag',
        replayed: false,
      },
    });
    await vi.waitFor(async () => expect(await statusOf(created.body.id)).toBe('delivered'), WAIT);
    expect(
      (await create({ metadata: { orderId: 'A-1' }, priority: 'critical', campaignId: 'tag' }, 'one')).body,
    ).toEqual({ ...created.body, replayed: true });
    expect((await create({}, 'one')).status).toBe(409);
    await checkMoney(messaging.tables.test, tenant.id);
  });

  test('goes to the contact’s own recipient where it names none', async () => {
    const { body: contact } = await tenant.test.post('/contacts', { phone: TO, email: 'ana@simulator.amazonses.com' });
    expect((await create({ to: undefined, contactId: contact.id })).body).toMatchObject({ to: TO });
    const mail = { channel: 'email', to: undefined, contactId: contact.id };
    const payload = { email: { subject: 'Oi', text: 'Olá' } };
    expect((await create({ ...mail, payload })).body).toMatchObject({ to: 'ana@simulator.amazonses.com' });
    expect((await create({ channel: 'push', to: undefined, contactId: contact.id })).status).toBe(422);
  });

  test('is replayed to a contact that has lost its recipient since; another body is told what it lacks', async () => {
    const fields = { phone: '+5511999990025', email: 'bia@simulator.amazonses.com' };
    const { body: contact } = await tenant.test.post('/contacts', fields);
    const payload = { email: { subject: 'Oi', text: 'Olá' } };
    const mail = { channel: 'email', to: undefined, contactId: contact.id, payload };
    const { body: first } = await create(mail, 'lost');
    expect(first).toMatchObject({ to: fields.email, replayed: false });
    await messaging.tables.test.write({ update: KEYS.contact(contact.id), remove: ['email'] });
    expect(await create(mail, 'lost')).toMatchObject({ status: 201, body: { ...first, replayed: true } });
    expect((await create({ ...mail, campaignId: 'tag' }, 'lost')).status).toBe(422);
    expect((await create({ campaignId: 'tag' }, 'lost')).status).toBe(409);
  });

  test('that is scheduled waits for its moment, and no longer', async () => {
    const at = new Date(Date.now() + 4_000).toISOString();
    const { body } = await create({ scheduledAt: at });
    expect(body).toMatchObject({ status: 'queued', scheduledAt: at });
    expect(await statusOf(body.id)).toBe('queued');
    await vi.waitFor(async () => expect(await statusOf(body.id)).toBe('delivered'), WAIT);
    const { body: sent } = await tenant.test.get(`/messages/${body.id}`);
    expect(Date.parse(sent.sentAt)).toBeGreaterThanOrEqual(Date.parse(at));
  });

  test.each([
    [{ payload: { text: 1 } }],
    [{ payload: {} }],
    [{ payload: undefined }],
    [{ payload: { text: 'Oi', more: 1 } }],
    [{ channel: 'push', to: 'device', payload: { anything: 1 } }],
    [{ channel: 'push', to: 'device', payload: { title: 'Oi' } }],
    [{ channel: 'push', to: 'device', payload: { text: 'Oi', body: 'Oi' } }],
    [{ channel: 'push', to: 'device', payload: { text: 'Oi', imageUrl: 'http://cdn.loja.example/a.png' } }],
    [{ channel: 'push', to: 'device', payload: { text: 'Oi', actions: Array(4).fill({ label: 'Ver' }) } }],
    [{ channel: 'push', to: 'device', type: 'media', payload: { media: { kind: 'image', id: '1' } } }],
    [{ channel: 'whatsapp', type: 'media', payload: { media: { kind: 'hologram', id: '1' } } }],
    [{ channel: 'rcs', payload: { card: { title: 'só' } } }],
    [{ channel: 'email', to: 'ana@loja.example', payload: { email: { subject: 'a\nb', text: 'x' } } }],
    [{ to: undefined }],
    [{ to: '+55119' }],
    [{ type: 'hologram' }],
    [{ scheduledAt: '2031-01-01T00:00:00Z' }],
  ])('with %j is refused with 422', async (fields) => {
    expect((await create(fields)).status).toBe(422);
  });
});

describe('a push of the unified create', () => {
  const [image, buttons] = [{ imageUrl: 'https://cdn.loja.example/oferta.png' }, { actions: [{ label: 'Rastrear' }] }];
  const priceOfKind = (kind: string) => {
    const row = priceRowOf(DEFAULT_PRICES, 'push', kind);
    return row && quoteUnits(row, 1, 0).coins;
  };

  test.each([
    ['simple', { text: 'Oi' }],
    ['simple', { body: 'Oi', title: 'Pedido', deepLink: 'loja://pedidos', actions: [], silent: false }],
    ['rich', { text: 'Oi', ...image }],
    ['rich', { text: 'Oi', ...buttons }],
    ['silent', { text: 'Oi', ...image, silent: true }],
  ])('has the price of what it shows: %s of %j', async (kind, payload) => {
    const created = await create({ channel: 'push', to: 'device-1', payload });
    expect(created).toMatchObject({ status: 201, body: { payload, billing: { coins: priceOfKind(kind) } } });
  });

  test('that is sent anew with an image has the price of one with an image', async () => {
    const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
    const { body } = await create({ channel: 'push', to: 'device-1', scheduledAt });
    expect(body.billing).toEqual({ coins: priceOfKind('simple') });
    const again = await tenant.test.call('POST', `/messages/${body.id}/resend`, {
      body: { payload: { text: 'Oi', ...image } },
    });
    expect(again.body.billing).toEqual({ coins: priceOfKind('rich') });
  });
});

describe('quiet hours', () => {
  test('defer what leaves by itself to their end, from the moment they are set, and force bypasses them', async () => {
    const fresh = await messaging.tenant();
    const path = '/v2/organizations/me/quiet-hours';
    expect((await fresh.test.get(path)).body).toEqual({ inicio: null, fim: null, timeZone: null, channels: [] });
    // What leaves just before makes its process ask for the settings of an organization that has no quiet hours yet.
    const before = await create({}, 'before', fresh);
    await vi.waitFor(async () => expect(await statusOf(before.body.id, fresh)).toBe('delivered'), WAIT);
    const now = new Date();
    const clock = (ms: number) => new Date(now.getTime() + ms).toISOString().slice(11, 16);
    const quiet = { inicio: clock(-3600_000), fim: clock(3600_000), timeZone: 'UTC', channels: ['sms'] };
    expect(await fresh.test.call('PUT', path, { body: quiet })).toMatchObject({ status: 200, body: quiet });
    const { body } = await create({}, 'quiet', fresh);
    await vi.waitFor(async () => {
      const { items } = (await fresh.test.get(`/messages/${body.id}/timeline`)).body;
      expect(JSON.stringify(items)).toContain('quiet hours');
    }, WAIT);
    expect(await statusOf(body.id, fresh)).toBe('queued');
    expect((await fresh.test.post(`/messages/${body.id}/force`, {})).status).toBe(202);
    await vi.waitFor(async () => expect(await statusOf(body.id, fresh)).toBe('delivered'), WAIT);
    expect((await fresh.test.get(`/messages/${body.id}`)).body.force).toBe(true);
    expect((await fresh.test.call('PUT', path, { body: { ...quiet, timeZone: 'Lua' } })).status).toBe(422);
  });
});
