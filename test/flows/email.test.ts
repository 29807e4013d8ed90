import { describe, expect, test, vi } from 'vitest';
import { emailConsentStore } from '../../shared/storage/contacts/email-addresses.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, becomes, idsOf, keyed, optedOut } from './support.ts';

const at = (local: string) => `${local}@simulator.amazonses.com`;
const WAIT = { timeout: 45_000, interval: 200 };
/** The text of every body sent here. Three letters alone may be in an id, which is random. */
const OF_THE_BODY = /Olá|[> ]Ana/;
const METADATA = { orderId: 'A-1', vip: true } as const;

const messaging = await sharedMessaging();
const tenant = await messaging.tenant({ takesEvents: true });
/** A tenant all of whose sends are refused. */
const refusedOnly = await messaging.tenant();

const send = (body: Readonly<Record<string, unknown>> = {}, key?: string, of = tenant) =>
  of.test.post(
    '/v2/email/messages',
    { to: at('success'), subject: 'Seu pedido saiu', html: '<p>Olá, <b>Ana</b></p>', ...body },
    keyed(key),
  );
const read = async (id: string, of = tenant) => (await of.test.get(`/v2/email/messages/${id}`)).body;
const eventsOf = async (id: string) =>
  (await messaging.eventsOf('test', tenant.id)).filter(({ data }) => data.id === id);

describe.concurrent('an e-mail', () => {
  test('is answered once accepted, with its price and size and without its body', async () => {
    const sent = await send({ metadata: METADATA, campaignId: 'natal' });
    expect(sent).toMatchObject({
      status: 201,
      body: {
        status: 'sent',
        env: 'test',
        to: at('success'),
        subject: 'Seu pedido saiu',
        bodyBytes: Buffer.byteLength('<p>Olá, <b>Ana</b></p>') + Buffer.byteLength('Olá, Ana'),
        billing: { coins: 30 },
        replayed: false,
        metadata: METADATA,
        campaignId: 'natal',
      },
    });
    expect(sent.text).not.toMatch(OF_THE_BODY);
    const { rows } = await messaging.tables.test.query({ partition: `MSG#${sent.body.id}` });
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toMatch(OF_THE_BODY);
  });

  test('without a key is refused; a repeated key gets the first response, or 409 for another body', async () => {
    const { status } = await tenant.test.post('/v2/email/messages', { to: at('success'), subject: 'x', text: 'x' });
    expect(status).toBe(400);
    const first = await send({}, 'key');
    expect((await send({}, 'key')).body).toEqual({ ...first.body, replayed: true });
    expect((await send({ subject: 'Outro' }, 'key')).status).toBe(409);
  });

  test.each([
    ['success', 'delivered', 'email.delivered', undefined],
    ['bounce', 'bounced', 'email.bounced', 'invalid_address'],
    ['complaint', 'complained', 'email.complained', 'complaint'],
    ['ooto', 'delivered', 'email.delivered', undefined],
    ['anything', 'delivered', 'email.delivered', undefined],
  ])('to %s of the simulator ends as %s and raises %s', async (local, status, type, reason) => {
    const { body } = await send({ to: at(local), metadata: METADATA });
    expect(body.status).toBe('sent');
    await becomes(tenant.test, `/v2/email/messages/${body.id}`, { status }, WAIT);
    expect(await read(body.id)).toMatchObject(reason ? { reason } : { deliveredAt: expect.any(String) });
    const events = (await eventsOf(body.id)).filter((event) => event.type === type);
    expect(events).toMatchObject([{ data: { status, channel: 'email', metadata: METADATA } }]);
  });

  test('to the suppression list is refused, stored as failed, and not charged', async () => {
    const fresh = await messaging.tenant();
    const refused = await send({ to: at('suppressionlist') }, 'sup', fresh);
    expect(refused).toMatchObject({ status: 422, body: { meta: { motivo: 'suppressed' } } });
    expect(await read(refused.body.meta.messageId, fresh)).toMatchObject({ status: 'failed', reason: 'suppressed' });
    expect(await balanceOf(fresh.test)).toBe(10_000_000);
    await checkMoney(messaging.tables.test, fresh.id);
  });

  test.each([
    [{ to: 'ninguém' }, 422],
    [{ to: 'a@b' }, 422],
    [{ subject: 'a\r\nBcc: x@y.example' }, 422],
    [{ from: 'Loja\r\nBcc: x@y.example <ola@loja.example>' }, 422],
    [{ from: 'loja' }, 422],
    [{ html: undefined }, 422],
    [{ subject: undefined }, 422],
    [{ templateId: 'etpl_000000000000000000000' }, 422],
    [{ contactId: 'cnt_000000000000000000000' }, 422],
    [{ metadata: { '1': 'x' } }, 422],
    [{ extra: 1 }, 422],
  ])('with %j is refused with %i and not charged', async (fields, status) => {
    expect((await send(fields, undefined, refusedOnly)).status).toBe(status);
    expect(await balanceOf(refusedOnly.test)).toBe(10_000_000);
  });

  test('in live needs a sender and a provider, and names the missing setting', async () => {
    const body = { to: 'ana@loja.example', subject: 'Oi', text: 'Oi' };
    const header = keyed();
    const live = await messaging.tenant({ live: 1_000 });
    expect(await live.live.post('/v2/email/messages', body, header)).toMatchObject({
      status: 412,
      body: { meta: { motivo: 'no_verified_sender' } },
    });
    const unset = await live.live.post('/v2/email/messages', { ...body, from: 'ola@loja.example' }, header);
    expect(unset).toMatchObject({ status: 502 });
    expect(unset.body.detail).toContain('--channel email');
    expect(await balanceOf(live.live)).toBe(1_000);
  });

  test('beyond the balance is refused with 402', async () => {
    const poor = await messaging.tenant({ live: 0 });
    const body = { to: 'ana@loja.example', subject: 'Oi', text: 'Oi', from: 'ola@loja.example' };
    expect((await poor.live.post('/v2/email/messages', body, keyed())).status).toBe(402);
  });
});

test('a contact that opted out gets only transactional mail, named or by address', async () => {
  const fresh = await messaging.tenant();
  const contactId = await optedOut(fresh.test, { phone: '+5511999990001', email: 'Ana@Loja.example' });
  const out = { status: 422, body: { meta: { motivo: 'opt_out' } } };
  expect(await send({ to: 'ana@loja.example' }, 'a', fresh)).toMatchObject(out);
  expect(await send({ contactId }, 'b', fresh)).toMatchObject(out);
  expect((await send({ to: 'ana@loja.example', transactional: true }, 'c', fresh)).status).toBe(201);
  expect((await fresh.test.get('/v2/email/messages')).body.total).toBe(1);
});

describe('a saved template', () => {
  const MJML =
    '<mjml><mj-body><mj-section><mj-column><mj-text>Olá, {{nome}}</mj-text></mj-column></mj-section></mj-body></mjml>';

  test('gives subject and body; a subject of the send overrides its own', async () => {
    const { body: template } = await tenant.test.post('/v2/email/templates', {
      name: 'pedido',
      subject: 'Pedido de {{nome}}',
      format: 'mjml',
      source: MJML,
      variables: [{ name: 'nome', example: 'cliente' }],
    });
    const content = { html: undefined, subject: undefined, templateId: template.id };
    expect((await send({ ...content, variables: { nome: 'Ana' } })).body.subject).toBe('Pedido de Ana');
    expect((await send(content)).body.subject).toBe('Pedido de cliente');
    expect((await send({ ...content, subject: 'Oi' })).body.subject).toBe('Oi');
    // No placeholder reaches an inbox, not even from the subject of the send.
    const filled = await send({ ...content, subject: 'Oi, {{nome}}{{outro}}', variables: { nome: 'Bia' } });
    expect(filled.body.subject).toBe('Oi, Bia');
  });

  test('is found by its name in /v1', async () => {
    const sent = await tenant.test.post(
      '/v1/messages',
      { channel: 'email', to: at('success'), template: 'pedido', variables: { nome: 'Ana' } },
      keyed(),
    );
    expect(sent.status).toBe(202);
    const fields = { status: 'delivered', subject: 'Pedido de Ana' };
    await becomes(tenant.test, `/v2/email/messages/${sent.body.id}`, fields, WAIT);
    expect(await messaging.tables.test.get({ pk: `MSG#${sent.body.id}`, sk: 'BODY' })).toBeUndefined();
  });
});

test('the list of e-mails is newest first, filtered by status, recipient and campaign, with its total', async () => {
  const fresh = await messaging.tenant();
  const ids: string[] = [];
  for (const local of ['one', 'two', 'three'])
    ids.unshift((await send({ to: at(local), campaignId: local === 'two' ? 'tag' : undefined }, local, fresh)).body.id);
  const list = async (query: Record<string, string>) => (await fresh.test.get('/v2/email/messages', query)).body;
  expect(idsOf((await list({})).items)).toEqual(ids);
  expect(await list({ to: at('two') })).toMatchObject({ total: 1, items: [{ id: ids[1] }] });
  expect(await list({ campaignId: 'tag' })).toMatchObject({ total: 1 });
  expect(await list({ limit: '1', skip: '1' })).toMatchObject({ total: 3, items: [{ id: ids[1] }] });
  await vi.waitFor(async () => expect(await list({ status: 'delivered' })).toMatchObject({ total: 3 }), WAIT);
  expect((await fresh.test.get('/v2/email/messages', { status: 'read' })).status).toBe(400);
  expect((await tenant.test.get(`/v2/email/messages/${ids[0]}`)).status).toBe(404);
});

test('an address that unsubscribed gets only transactional mail, whichever contact is named', async () => {
  const fresh = await messaging.tenant();
  const to = 'bia@loja.example';
  const { body: contact } = await fresh.test.post('/contacts', { phone: '+5511999990002' });
  const hash = (await messaging.vault('test', 'recipients')).blindIndex(fresh.id, 'email', to);
  await emailConsentStore(messaging.tables.test).unsubscribe(fresh.id, hash, Date.now());
  const out = { status: 422, body: { meta: { motivo: 'opt_out' } } };
  expect(await send({ to }, 'a', fresh)).toMatchObject(out);
  expect(await send({ to, contactId: contact.id }, 'b', fresh)).toMatchObject(out);
  expect((await send({ to, contactId: contact.id, transactional: true }, 'c', fresh)).status).toBe(201);
});
