import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { startMessaging, type Tenant } from '../support/api.ts';
import { signedByMeta } from '../support/providers/meta-api.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { connectNumber } from '../support/providers/whatsapp-number.ts';
import { startWhatsappStandIn, WABA_ID } from '../support/providers/whatsapp-stand-in.ts';
import { use } from '../support/use.ts';
import { acceptedBy, becomes, keyed, setUpProvider } from './support.ts';

const OWN_NUMBER = '306540352242922';
const OWN_TOKEN = "the number's own token";
const PHONE = '+5511986610000';
const WA_ID = PHONE.slice(1);
const TEXT = { type: 'text', text: { body: 'Meu CPF mudou' } };

const messaging = await use(startMessaging());
const meta = await use(startWhatsappStandIn(Date.now, { [OWN_NUMBER]: OWN_TOKEN }));
meta.endpoint = `${messaging.url}/callbacks/whatsapp_cloud_api/events`;
await setUpProvider(messaging, 'whatsapp', 'whatsapp_cloud_api', meta.settings);

const tenantOf = () => messaging.tenant({ live: 1_000_000 });
const totalOf = async ({ live }: Tenant) => (await live.get('/messages')).body.total;
const ownNumber = (owner: Tenant) =>
  connectNumber(messaging, owner, { phoneNumberId: OWN_NUMBER, wabaId: WABA_ID, accessToken: OWN_TOKEN });
const disconnect = async ({ live }: Tenant, id: string) =>
  expect((await live.call('DELETE', `/numbers/${id}`)).status).toBe(204);

/** A message of a person whose phone Meta does not report. */
const hiddenFrom = (userId: string, message: object) =>
  meta.changes({
    field: 'messages',
    value: {
      metadata: { display_phone_number: '15550783881', phone_number_id: OWN_NUMBER },
      contacts: [{ profile: { name: 'Ana Souza', username: '@ana' }, wa_id: '', user_id: userId }],
      messages: [
        {
          from: '',
          from_user_id: userId,
          id: `wamid.${newId('event')}`,
          timestamp: String(Math.floor(Date.now() / 1000)),
          ...message,
        },
      ],
    },
  });

describe('a message from a person whose phone Meta hides', () => {
  test('is received with the user id as its sender, masked without pii:full', async () => {
    const owner = await messaging.tenant({ live: 1_000_000, takesEvents: true });
    const number = await ownNumber(owner);
    const posted = hiddenFrom('BR.13491208655302741918', TEXT);
    for (const { status } of [await deliver(posted), await deliver(posted)]) expect(status).toBe(200);
    const { total, items } = (await owner.live.get('/messages')).body;
    expect(total).toBe(1);
    expect(items).toMatchObject([
      {
        direction: 'inbound',
        from: 'BR.13491208655302741918',
        payload: { text: 'Meu CPF mudou' },
        numberId: number.id,
      },
    ]);
    const masking = await messaging.limited(owner.live, ['messages:read']);
    expect((await masking.get('/messages')).body.items).toMatchObject([{ from: 'BR****1918' }]);
    const received = (await messaging.eventsOf('live', owner.id)).filter(({ type }) => type === 'message.received');
    expect(received).toMatchObject([{ data: { id: items[0].id, from: 'BR****1918' } }]);
    await disconnect(owner, number.id);
  });

  test("opts out the contact to whose phone the answered message was sent, and answers are sent in that phone's window", async () => {
    const owner = await tenantOf();
    const number = await ownNumber(owner);
    const phone = '+5511986610010';
    const { body: contact } = await owner.live.post('/contacts', { phone });
    const payload = { template: { name: 'pedido_enviado', language: 'pt-BR' } };
    const template = { channel: 'whatsapp', to: phone, type: 'template', payload, numberId: number.id };
    const sent = await owner.live.post('/messages', template, keyed());
    const { providerMessageId } = await acceptedBy(meta, sent);
    const context = { from: '15550783881', id: providerMessageId };
    expect((await deliver(hiddenFrom('BR.2', { ...TEXT, context }))).status).toBe(200);
    const text = { channel: 'whatsapp', to: phone, type: 'text', payload: { text: 'Oi' }, numberId: number.id };
    expect((await owner.live.post('/messages', text, keyed())).status).toBe(201);
    expect((await deliver(hiddenFrom('BR.2', { type: 'text', text: { body: 'Sair' } }))).status).toBe(200);
    expect((await owner.live.get(`/contacts/${contact.id}`)).body.optIn).toMatchObject({ status: 'denied' });
    expect((await owner.live.post('/messages', text, keyed())).body.meta).toMatchObject({ motivo: 'opt_out' });
    await disconnect(owner, number.id);
  });
});

describe('a message to a number', () => {
  test('that was disconnected is acknowledged but not stored, not even for the organization that last wrote to its sender', async () => {
    const [owner, other] = [await tenantOf(), await tenantOf()];
    const number = await ownNumber(owner);
    expect((await deliver(meta.inbound(WA_ID, TEXT, { number: OWN_NUMBER }))).status).toBe(200);
    expect(await totalOf(owner)).toBe(1);
    const payload = { template: { name: 'pedido_enviado', language: 'pt-BR' } };
    const body = { channel: 'whatsapp', to: PHONE, type: 'template', payload };
    const sent = await other.live.post('/messages', body, keyed());
    await becomes(other.live, `/messages/${sent.body.id}`, { status: 'sent' });
    await disconnect(owner, number.id);
    expect((await deliver(meta.inbound(WA_ID, TEXT, { number: OWN_NUMBER }))).status).toBe(200);
    expect([await totalOf(owner), await totalOf(other)]).toEqual([1, 1]);
    // On the shared number it is a reply to the last message.
    expect((await deliver(meta.inbound(WA_ID, TEXT))).status).toBe(200);
    expect([await totalOf(owner), await totalOf(other)]).toEqual([1, 2]);
  });

  test('without a valid signature of Meta is refused and not stored', async () => {
    const owner = await tenantOf();
    const number = await ownNumber(owner);
    const before = await messaging.rowsOf('live', owner.id);
    const { body } = meta.inbound(WA_ID, { type: 'text', text: { body: 'SAIR' } }, { number: OWN_NUMBER });
    expect((await deliver(signedByMeta(meta.endpoint, body, 'another secret'))).status).toBe(403);
    expect((await deliver({ url: meta.endpoint, headers: {}, body })).status).toBe(403);
    const signed = signedByMeta(meta.endpoint, body, meta.settings.appSecret as string);
    expect((await deliver({ ...signed, body: `${signed.body} ` })).status).toBe(403);
    expect(await messaging.rowsOf('live', owner.id)).toEqual(before);
    await disconnect(owner, number.id);
  });
});

test('a number whose customer removed us still sends: the removal is only marked', async () => {
  const owner = await tenantOf();
  const number = await ownNumber(owner);
  const phone = '+5511986610009';
  expect((await deliver(meta.inbound(phone.slice(1), TEXT, { number: OWN_NUMBER }))).status).toBe(200);
  const value = { event: 'PARTNER_REMOVED', waba_info: { waba_id: WABA_ID } };
  expect((await deliver(meta.changes({ field: 'account_update', value }))).status).toBe(200);
  expect((await owner.live.get(`/numbers/${number.id}`)).body).toMatchObject({
    status: 'connected',
    meta: { partnerRemovedAt: expect.any(String), partnerRemovedReason: 'PARTNER_REMOVED' },
  });
  const body = { channel: 'whatsapp', to: phone, type: 'text', payload: { text: 'Oi' }, numberId: number.id };
  const sent = await owner.live.post('/messages', body, keyed());
  expect(sent.status).toBe(201);
  await acceptedBy(meta, sent);
  await disconnect(owner, number.id);
});
