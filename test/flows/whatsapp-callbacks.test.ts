import { describe, expect, test } from 'vitest';
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
