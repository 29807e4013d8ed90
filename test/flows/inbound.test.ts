import { describe, expect, test, vi } from 'vitest';
import exampleInbound from '../../events/providers/infobip.rcs-inbound-message.json' with { type: 'json' };
import { receiveInbound } from '../../shared/domain/inbound/receive.ts';
import { inboundIdOf } from '../../shared/domain/message/inbound-message.ts';
import type { InboundEvent } from '../../shared/domain/message/provider-port.ts';
import { putRoutes } from '../../shared/storage/access/providers.ts';
import { anEvent, inboundOfStack } from '../inbound/support.ts';
import { type Answer, startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { startInfobipRcsStandIn } from '../support/providers/infobip-rcs-stand-in.ts';
import { startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { startReceiver } from '../support/receiver.ts';
import { use } from '../support/use.ts';
import { acceptedBy, keyed, kindsOf, PATIENCE, setUpProvider, walletOf } from './support.ts';

const OPENING = 1_000_000;
let phones = 0;
const aPhone = () => `+55119877${String(10_000 + phones++)}`;

const messaging = await use(startMessaging());
const sms = await use(startInfobipStandIn());
const rcs = await use(startInfobipRcsStandIn());
const receiver = await use(startReceiver());
/** The endpoint of a subscription whose creator may not see phones. */
const masked = await use(startReceiver());
const owner = await messaging.tenant({ live: OPENING, takesEvents: true });
await setUpProvider(messaging, 'sms', 'infobip', sms.settings);
await setUpProvider(messaging, 'rcs', 'infobip', rcs.settings);
for (const route of ['premium', 'otp'])
  await putRoutes(messaging.tables.live, { channel: 'sms', route, providers: ['infobip'] });

const reply = async (sent: Answer, text: string) => sms.reply(await acceptedBy(sms, sent), text);
const inboundsOf = async ({ live }: Tenant) =>
  (await live.get('/messages')).body.items.filter(({ direction }: { direction: string }) => direction === 'inbound');
const eventsOf = async (env: 'live' | 'test', { id }: Tenant, ...types: string[]) =>
  (await messaging.eventsOf(env, id)).filter(({ type }) => types.includes(type));

const receive = async (event: InboundEvent, tenant: Tenant = owner) => {
  await receiveInbound(await inboundOfStack(messaging), { organizationId: tenant.id, env: 'test' }, event);
  return inboundIdOf(tenant.id, event.channel, event.providerMessageId);
};

describe('an SMS reply', () => {
  test('is also one message in the list of all channels, and is charged once', async () => {
    const from = aPhone();
    const { body: contact } = await owner.live.post('/contacts', { phone: from, name: 'Ana' });
    const sent = await owner.live.send({ to: from, campaignId: 'bf', metadata: { orderId: 'A-1' } });
    const posted = await reply(sent, 'Sim, pode entregar 🙂');
    const answers = await Promise.all(Array.from({ length: 8 }, () => deliver(posted)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await deliver(posted)).status).toBe(200);

    const [message, ...others] = await inboundsOf(owner);
    expect(others).toEqual([]);
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_/),
      channel: 'sms',
      direction: 'inbound',
      status: 'delivered',
      type: 'text',
      from,
      payload: { text: 'Sim, pode entregar 🙂' },
      contactId: contact.id,
      inReplyTo: sent.body.id,
      attempts: 0,
      force: false,
      priority: 'normal',
    });
    expect((await owner.live.get('/messages')).body.total).toBe(2);
    expect((await owner.live.get('/v2/sms/messages')).body).toMatchObject({ total: 1, items: [{ id: sent.body.id }] });
    expect((await owner.live.get('/v2/sms/replies')).body).toMatchObject({ total: 1, items: [{ from }] });
    expect((await owner.live.get(`/messages/${message.id}`)).body).toEqual(message);
    expect(await eventsOf('live', owner, 'sms.received', 'message.received')).toMatchObject([
      { type: 'sms.received', data: { messageId: message.id, contactId: contact.id, metadata: { orderId: 'A-1' } } },
    ]);
    expect((await walletOf(owner.live)).balanceCoins).toBe(OPENING - sent.body.billing.coins - 200);
    await checkMoney(messaging.tables.live, owner.id);
    expect((await owner.live.get(`/contacts/${contact.id}`)).body.lastInteractionAt).toBe(message.sentAt);
  });

  test('with an opt-out word stops sends and raises contact.opted_out once', async () => {
    const from = aPhone();
    const { body: contact } = await owner.live.post('/contacts', { phone: from });
    const sent = await owner.live.send({ to: from });
    const posted = await reply(sent, 'Sair!');
    await Promise.all([deliver(posted), deliver(posted)]);
    await deliver(await reply(sent, 'SAIR'));
    expect((await owner.live.get(`/contacts/${contact.id}`)).body.optIn).toMatchObject({
      status: 'denied',
      revokedReason: 'asked by sms: SAIR',
    });
    expect(await eventsOf('live', owner, 'contact.opted_out')).toMatchObject([{ data: { contactId: contact.id } }]);
    expectProblem(await owner.live.send({ to: from }), 422);
    expect((await owner.live.send({ to: from, route: 'otp' })).status).toBe(201);
  });

  test('with an opt-out word from an unknown phone also stops sends to it', async () => {
    const from = aPhone();
    const sent = await owner.live.send({ to: from });
    await deliver(await reply(sent, 'DESCADASTRAR'));
    expectProblem(await owner.live.send({ to: from }), 422);
    const { status, body } = await owner.live.post('/contacts', { phone: from });
    expect({ status, optIn: body.optIn.status }).toEqual({ status: 201, optIn: 'denied' });
  });
});

test('an RCS reply is an inbound message that refers to the one that was sent', async () => {
  const to = aPhone();
  const sent = await owner.live.post(
    '/v2/rcs/messages',
    { to, content: { text: 'Seu pedido saiu.' }, route: 'easy_rcs' },
    keyed(),
  );
  expect(sent.status).toBe(201);
  const [example] = exampleInbound.results;
  const message = await acceptedBy(rcs, sent);
  const entry = { ...example, sender: to.slice(1), pairedMessageId: message.messageId };
  const posted = rcs.signed(message, JSON.stringify({ ...exampleInbound, results: [entry] }));
  for (const { status } of await Promise.all([deliver(posted), deliver(posted), deliver(posted)]))
    expect(status).toBe(200);
  const found = (await inboundsOf(owner)).filter(({ channel }: { channel: string }) => channel === 'rcs');
  expect(found).toMatchObject([
    {
      from: to,
      type: 'interactive',
      payload: { text: 'suggestionText', interactive: { button_reply: { id: 'suggestionPostbackData' } } },
      inReplyTo: sent.body.id,
    },
  ]);
  expect((await owner.live.get('/v2/rcs/messages')).body.items).toHaveLength(1);
  expect(await eventsOf('live', owner, 'message.received')).toMatchObject([{ data: { id: found[0].id } }]);
});

describe('a WhatsApp message', () => {
  test('opens the window for a free-form message for 24 hours', async () => {
    const to = aPhone();
    const send = () =>
      owner.test.post('/v1/messages', { channel: 'whatsapp', to, text: 'Como posso ajudar?' }, keyed());
    expect((await send()).status).toBe(409);
    await receive(anEvent({ from: to, at: Date.now() - 24 * 3_600_000 - 1_000 }));
    expect((await send()).status).toBe(409);
    await receive(anEvent({ from: to, at: Date.now() - 1_000 }));
    expect((await send()).status).toBe(202);
  });

  test('is masked without pii:full, in a list and a read', async () => {
    const from = aPhone();
    const id = await receive(anEvent({ from, at: Date.now() }));
    const masking = await messaging.limited(owner.test, ['messages:read']);
    const one = (await masking.get(`/messages/${id}`)).body;
    expect(one).toMatchObject({ from: `${from.slice(0, 6)}****${from.slice(-4)}`, to: '****2922' });
    expect((await masking.get('/messages')).text).not.toContain(from);
    expect((await owner.test.get(`/messages/${id}`)).body).toMatchObject({ from, to: '106540352242922' });
  });

  test('has a timeline with its webhooks, which show the sender as their creator may see it', async () => {
    const tenant = await messaging.tenant({ takesEvents: true });
    const hook = await tenant.test.post('/webhooks', { url: receiver.url, events: ['message.received'] });
    expect(hook.status).toBe(201);
    const masking = await messaging.limited(tenant.test, ['webhooks:write']);
    const hooked = await masking.post('/webhooks', { url: masked.url, events: ['message.received'] });
    expect(hooked.status).toBe(201);
    const from = aPhone();
    const referral = { source_type: 'ad', source_id: '120210000000000000' };
    const event = anEvent({ from, at: Date.now() - 1_000, text: 'Vi o anúncio', referral });
    const id = await receive(event, tenant);
    await vi.waitFor(() => expect([receiver.events().length, masked.events().length]).toEqual([1, 1]), PATIENCE);
    expect(masked.events()[0]?.event.data.from).toBe(`${from.slice(0, 6)}****${from.slice(-4)}`);
    expect(receiver.events()[0]?.event).toMatchObject({
      type: 'message.received',
      sequence: 1,
      data: {
        id,
        channel: 'whatsapp',
        from,
        type: 'text',
        payload: { text: 'Vi o anúncio' },
        origemDoLink: { fonte: 'meta', anuncio: '120210000000000000' },
      },
    });
    expect((await tenant.test.get(`/messages/${id}`)).body.origemDoLink).toEqual({
      fonte: 'meta',
      anuncio: '120210000000000000',
    });
    const kinds = async () => kindsOf((await tenant.test.get(`/messages/${id}/timeline`)).body.items);
    await vi.waitFor(async () => expect(await kinds()).toContain('webhook'), PATIENCE);
    expect((await kinds()).slice(0, 3)).toEqual(['receipt', 'contact', 'window']);
  });

  test('cannot be resent, cancelled or forced: 409', async () => {
    const id = await receive(anEvent({ from: aPhone(), at: Date.now() }));
    expectProblem(await owner.test.post(`/messages/${id}/resend`, {}), 409);
    expectProblem(await owner.test.call('POST', `/messages/${id}/cancel`), 409);
    expectProblem(await owner.test.call('POST', `/messages/${id}/force`), 409);
    for (const area of ['sms', 'rcs', 'email']) expectProblem(await owner.test.get(`/v2/${area}/messages/${id}`), 404);
  });

  test('is 404 for another organization or environment', async () => {
    const id = await receive(anEvent({ from: aPhone(), at: Date.now() }));
    const other = await messaging.tenant();
    for (const client of [other.test, owner.live]) {
      expectProblem(await client.get(`/messages/${id}`), 404);
      expectProblem(await client.get(`/messages/${id}/timeline`), 404);
      expectProblem(await client.post(`/messages/${id}/resend`, {}), 404);
    }
    expect((await other.test.get('/messages')).body).toEqual({ items: [], total: 0 });
  });
});

test('a tracked link with {{codigo}} in its prefilled text contains its code there, by which the incoming message shows its origin', async () => {
  const tenant = await messaging.tenant({ takesEvents: true });
  const sent = await tenant.test.send({
    body: 'Fale conosco: https://wa.me/5511999990000?text=Oi%20{{codigo}}&utm_source=google&utm_campaign=bf',
    trackLinks: true,
  });
  const { payload } = (await tenant.test.get(`/messages/${sent.body.id}`)).body;
  const [address, code] = /https?:\S+\/r\/(\w+)/.exec(payload.text) ?? [];
  const { pathname } = new URL(String(address));
  const followed = await messaging.anonymous.get(pathname);
  expect(followed.status).toBe(302);
  const prefilled = new URL(followed.headers.get('location') ?? '').searchParams.get('text') ?? '';
  expect(prefilled).toBe(`Oi ${code}`);
  await receive(anEvent({ from: aPhone(), text: prefilled, at: Date.now() }), tenant);
  const [message] = (await tenant.test.get('/messages')).body.items;
  expect(message).toMatchObject({
    payload: { text: prefilled },
    origemDoLink: { fonte: 'google', campanha: 'bf', codigo: code },
  });
});
