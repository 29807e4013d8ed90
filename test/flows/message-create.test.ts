import { describe, expect, test, vi } from 'vitest';
import { DEFAULT_PRICES } from '../../shared/domain/pricing/default-prices.ts';
import { priceRowOf } from '../../shared/domain/pricing/prices.ts';
import { NO_VOLUME, quoteUnits } from '../../shared/domain/pricing/volume.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, connectNumber, keyed, registerDevice, setQuietHours } from './support.ts';

const TO = '+5511999990005';
const WAIT = { timeout: 45_000, interval: 200 };

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();
await registerDevice(tenant.test, 'device-1');

const create = (body: Readonly<Record<string, unknown>>, key?: string, of = tenant) =>
  of.test.post('/messages', { channel: 'sms', to: TO, type: 'text', payload: { text: 'Oi' }, ...body }, keyed(key));
const statusOf = async (id: string, of = tenant) => (await of.test.get(`/messages/${id}`)).body.status;

describe('a message of POST /messages', () => {
  test.each([
    ['sms', TO, { text: 'Oi' }],
    ['email', 'success@simulator.amazonses.com', { email: { subject: 'Oi', text: 'Oi' } }],
  ])(
    'that is cancelled has failed on %s without a reason, since the channel defines none',
    async (channel, to, payload) => {
      const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
      const { id } = (await create({ channel, to, payload, scheduledAt })).body;
      expect((await tenant.test.call('POST', `/messages/${id}/cancel`)).body).toMatchObject({ reason: 'cancelled' });
      const { body } = await tenant.test.get(`/v2/${channel}/messages/${id}`);
      expect(body).toMatchObject({ id, status: 'failed', failedAt: expect.any(String) });
      expect(body).not.toHaveProperty('reason');
    },
  );

  test('is stored as queued with its price, and sent in the background', async () => {
    const request = { metadata: { orderId: 'A-1' }, priority: 'critical', campaignId: 'tag' };
    const created = await create(request, 'one');
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
    await becomes(tenant.test, `/messages/${created.body.id}`, { status: 'delivered' });
    expect((await create(request, 'one')).body).toEqual({ ...created.body, replayed: true });
    expect((await create({}, 'one')).status).toBe(409);
    await checkMoney(messaging.tables.test, tenant.id);
  });

  test('without a recipient is sent to that of its contact', async () => {
    const { body: contact } = await tenant.test.post('/contacts', { phone: TO, email: 'ana@simulator.amazonses.com' });
    expect((await create({ to: undefined, contactId: contact.id })).body).toMatchObject({ to: TO });
    const mail = { channel: 'email', to: undefined, contactId: contact.id };
    const payload = { email: { subject: 'Oi', text: 'Olá' } };
    expect((await create({ ...mail, payload })).body).toMatchObject({ to: 'ana@simulator.amazonses.com' });
    expect((await create({ channel: 'push', to: undefined, contactId: contact.id })).status).toBe(422);
  });

  test('is replayed even if its contact has lost the recipient since; another body is refused', async () => {
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

  test('that is scheduled is sent at its time', async () => {
    const at = new Date(Date.now() + 6_000).toISOString();
    const { body } = await create({ scheduledAt: at });
    expect(body).toMatchObject({ status: 'queued', scheduledAt: at });
    expect(await statusOf(body.id)).toBe('queued');
    await becomes(tenant.test, `/messages/${body.id}`, { status: 'delivered' });
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

describe('the sender that a message names', () => {
  const ghost = `num_${'0'.repeat(21)}`;
  const template = { type: 'template', payload: { template: { name: 'pedido', language: 'pt-BR' } } };
  const refusal = async (fields: Readonly<Record<string, unknown>>) => {
    const { status, body } = await create(fields);
    const { requestId: _, instance: __, ...problem } = body;
    return { status, problem };
  };

  test("of another organization is refused like an unknown one, with the field's path", async () => {
    const other = await messaging.tenant();
    const foreign = await connectNumber(other.test);
    const nobody = await refusal({ channel: 'whatsapp', ...template, numberId: ghost });
    expect(nobody).toMatchObject({
      status: 422,
      problem: { errors: [{ path: 'numberId', message: expect.any(String) }] },
    });
    expect(await refusal({ channel: 'whatsapp', ...template, numberId: foreign })).toEqual(nobody);
    expect(await refusal({ channel: 'whatsapp', ...template, numberId: 'any' })).toEqual(nobody);
  });

  test.each([
    [
      { channel: 'instagram', to: '17841400008460056', instagramAccountId: `iga_${'0'.repeat(21)}` },
      'instagramAccountId',
    ],
    [{ channel: 'sms', numberId: ghost }, 'numberId'],
    [{ channel: 'whatsapp', ...template, instagramAccountId: `iga_${'0'.repeat(21)}` }, 'instagramAccountId'],
  ])('that is none of its channel is refused: %j', async (fields, path) => {
    expect(await refusal(fields)).toMatchObject({ status: 422, problem: { errors: [{ path }] } });
  });
});

describe('a push message of POST /messages', () => {
  const [image, buttons] = [{ imageUrl: 'https://cdn.loja.example/oferta.png' }, { actions: [{ label: 'Rastrear' }] }];
  const priceOfKind = (kind: string) => {
    const row = priceRowOf(DEFAULT_PRICES, 'push', kind);
    return row && quoteUnits(row, 1, NO_VOLUME).coins;
  };

  test.each([
    ['simple', { text: 'Oi' }],
    ['simple', { body: 'Oi', title: 'Pedido', deepLink: 'loja://pedidos', actions: [], silent: false }],
    ['rich', { text: 'Oi', ...image }],
    ['rich', { text: 'Oi', ...buttons }],
    ['silent', { text: 'Oi', ...image, silent: true }],
  ])('is priced by what it shows: %s for %j', async (kind, payload) => {
    const created = await create({ channel: 'push', to: 'device-1', payload });
    expect(created).toMatchObject({ status: 201, body: { payload, billing: { coins: priceOfKind(kind) } } });
  });

  test('that is resent with an image is priced as one with an image', async () => {
    const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
    const { body } = await create({ channel: 'push', to: 'device-1', scheduledAt });
    expect(body.billing).toEqual({ coins: priceOfKind('simple') });
    const again = await tenant.test.post(`/messages/${body.id}/resend`, { payload: { text: 'Oi', ...image } });
    expect(again.body.billing).toEqual({ coins: priceOfKind('rich') });
  });
});

test('quiet hours defer queued messages to their end as soon as they are set, and force bypasses them', async () => {
  const fresh = await messaging.tenant();
  const path = '/v2/organizations/me/quiet-hours';
  expect((await fresh.test.get(path)).body).toEqual({ inicio: null, fim: null, timeZone: null, channels: [] });
  // A send just before fills the cache of settings while the organization has no quiet hours.
  const before = await create({}, 'before', fresh);
  await becomes(fresh.test, `/messages/${before.body.id}`, { status: 'delivered' });
  const quiet = await setQuietHours(fresh.test, ['sms']);
  const { body } = await create({}, 'quiet', fresh);
  await vi.waitFor(async () => {
    const { items } = (await fresh.test.get(`/messages/${body.id}/timeline`)).body;
    expect(JSON.stringify(items)).toContain('quiet hours');
  }, WAIT);
  expect(await statusOf(body.id, fresh)).toBe('queued');
  expect((await fresh.test.post(`/messages/${body.id}/force`, {})).status).toBe(202);
  await becomes(fresh.test, `/messages/${body.id}`, { status: 'delivered' });
  expect((await fresh.test.get(`/messages/${body.id}`)).body.force).toBe(true);
  expect((await fresh.test.call('PUT', path, { body: { ...quiet, timeZone: 'Lua' } })).status).toBe(422);
});
