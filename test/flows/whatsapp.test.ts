import { describe, expect, test, vi } from 'vitest';
import { type Answer, startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { SECRETS, signedByMeta } from '../support/providers/meta-api.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { connectNumber } from '../support/providers/whatsapp-number.ts';
import { PHONE_NUMBER_ID, startWhatsappStandIn, WABA_ID } from '../support/providers/whatsapp-stand-in.ts';
import { use } from '../support/use.ts';
import { acceptedBy, becomes, keyed, PATIENCE, setUpProvider, walletOf } from './support.ts';

const OPENING = 1_000_000;
const ADDRESS = '/callbacks/whatsapp_cloud_api/events';
const OWN_NUMBER = '306540352242922';
const OWN_TOKEN = "the number's own token";
const [SALES_NUMBER, CARE_NUMBER] = ['406540352242922', '506540352242922'];
const [NORTH_NUMBER, SOUTH_NUMBER] = ['606540352242922', '706540352242922'];
/** The messages' prices (docs/spec/pricing.md#default-prices). */
const [MARKETING, SESSION] = [4_500, 150];

const messaging = await use(startMessaging());
const numbers = [OWN_NUMBER, SALES_NUMBER, CARE_NUMBER, NORTH_NUMBER, SOUTH_NUMBER];
const meta = await use(startWhatsappStandIn(Date.now, Object.fromEntries(numbers.map((id) => [id, OWN_TOKEN]))));
meta.endpoint = `${messaging.url}${ADDRESS}`;
await setUpProvider(messaging, 'whatsapp', 'whatsapp_cloud_api', meta.settings);

let phones = 0;
const aPhone = () => `+55119866${String(10_000 + phones++)}`;
const waId = (phone: string) => phone.slice(1);
const tenantOf = () => messaging.tenant({ live: OPENING, takesEvents: true });
const send = ({ live }: Tenant, body: object) => live.post('/messages', { channel: 'whatsapp', ...body }, keyed());
const sendTemplate = (owner: Tenant, to: string) =>
  send(owner, {
    to,
    type: 'template',
    payload: { template: { name: 'pedido_enviado', language: 'pt-BR' } },
    templateVars: ['Ana', 'A-1842'],
  });
const accepted = (answer: Answer) => acceptedBy(meta, answer);
const moves = ({ live }: Tenant, { body }: Answer, fields: object) => becomes(live, `/messages/${body.id}`, fields);
const eventsOf = async ({ id }: Tenant, type: string) =>
  (await messaging.eventsOf('live', id)).filter((event) => event.type === type);
const sendText = (owner: Tenant, to: string, numberId?: string) =>
  send(owner, { to, type: 'text', payload: { text: 'Oi' }, numberId });
/** A text from a person to a number, or to the shared one. */
const writesTo = async (phone: string, number?: string, fields: object = {}) => {
  const text = { type: 'text', text: { body: 'Oi' }, ...fields };
  expect((await deliver(meta.inbound(waId(phone), text, number ? { number } : {}))).status).toBe(200);
};
/** A person answers an organization's template. */
const writes = async (owner: Tenant, phone: string, id = waId(phone)) => {
  const sent = await sendTemplate(owner, phone);
  await accepted(sent);
  await moves(owner, sent, { status: 'sent' });
  expect((await deliver(meta.inbound(id, { type: 'text', text: { body: 'Oi' } }))).status).toBe(200);
};

describe('the callback URL', () => {
  const verify = (token: string) =>
    messaging.anonymous.get(ADDRESS, {
      'hub.mode': 'subscribe',
      'hub.verify_token': token,
      'hub.challenge': '1158201444',
    });

  test('is verified by Meta with the challenge as plain text', async () => {
    const answer = await verify(SECRETS.verifyToken);
    expect(answer).toMatchObject({ status: 200, text: '1158201444' });
    expect(answer.headers.get('content-type')).toContain('text/plain');
  });

  test('is not verified without the token, nor for providers without such a verification', async () => {
    expectProblem(await verify('another'), 403);
    expectProblem(await messaging.anonymous.get(ADDRESS), 400);
    const query = { 'hub.mode': 'subscribe', 'hub.verify_token': 'x', 'hub.challenge': '1' };
    expectProblem(await messaging.anonymous.get('/callbacks/twilio/receipts', query), 404);
    expectProblem(await messaging.anonymous.get('/callbacks/instagram_messaging_api/events', query), 404);
  });

  test('refuses what Meta did not sign', async () => {
    const owner = await tenantOf();
    const sent = await sendTemplate(owner, aPhone());
    const message = await accepted(sent);
    await moves(owner, sent, { status: 'sent' });
    const { body } = meta.receipt(message, 'read');
    expect((await deliver(signedByMeta(meta.endpoint, body, 'another secret'))).status).toBe(403);
    expect((await deliver({ url: meta.endpoint, headers: {}, body })).status).toBe(403);
    expect((await owner.live.get(`/messages/${sent.body.id}`)).body.status).toBe('sent');
  });
});

describe('a template', () => {
  test('is sent by Meta with its variables, by either operation, and charged once', async () => {
    const owner = await tenantOf();
    const [to, other] = [aPhone(), aPhone()];
    const created = await sendTemplate(owner, to);
    expect(created.status).toBe(201);
    const body = { channel: 'whatsapp', to: other, template: 'pedido_enviado', variables: { nome: 'Ana' } };
    const byV1 = await owner.live.post('/v1/messages', body, keyed());
    expect(byV1.status).toBe(202);
    expect(await accepted(created)).toMatchObject({
      to,
      content: {
        payload: { template: { name: 'pedido_enviado', language: 'pt-BR' }, templateVars: { 1: 'Ana', 2: 'A-1842' } },
      },
    });
    expect((await accepted(byV1)).content).toMatchObject({ payload: { templateVars: { nome: 'Ana' } } });
    for (const sent of [created, byV1]) await moves(owner, sent, { status: 'sent' });
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING - 2 * MARKETING, heldCoins: 0 });
    expect(await eventsOf(owner, 'message.sent')).toHaveLength(2);
    await checkMoney(messaging.tables.live, owner.id);
  });

  test('in a bulk send is sent once for each message', async () => {
    const owner = await tenantOf();
    const messages = Array.from({ length: 4 }, () => ({ channel: 'whatsapp', to: aPhone(), template: 'promo' }));
    const bulk = await owner.live.post('/v1/messages/bulk', { messages, mode: 'strict' }, keyed());
    expect(bulk).toMatchObject({ status: 202, body: { accepted: 4 } });
    const arrived = () => meta.messages.map(({ to }) => to).filter((to) => messages.some((each) => each.to === to));
    await vi.waitFor(() => expect(arrived().sort()).toEqual(messages.map(({ to }) => to).sort()), PATIENCE);
    await becomes(owner.live, '/v2/wallet', { balanceCoins: OPENING - 4 * MARKETING, heldCoins: 0 });
    await vi.waitFor(() => checkMoney(messaging.tables.live, owner.id), PATIENCE);
  });

  test('follows its status reports, once each and never backwards', async () => {
    const owner = await tenantOf();
    const sent = await sendTemplate(owner, aPhone());
    const message = await accepted(sent);
    for (const outcome of ['read', 'sent', 'delivered', 'read'] as const)
      expect((await deliver(meta.receipt(message, outcome))).status).toBe(200);
    await moves(owner, sent, { status: 'read', platformMessageId: message.providerMessageId });
    await vi.waitFor(async () => expect(await eventsOf(owner, 'message.read')).toHaveLength(1), PATIENCE);
    expect((await owner.live.get(`/messages/${sent.body.id}`)).body.status).toBe('read');
    await checkMoney(messaging.tables.live, owner.id);
  });

  const UNDELIVERED = ['undeliverable', 'window_closed', 'blacklisted'] as const;
  test.each(UNDELIVERED)('that Meta accepted but could not deliver fails as %s, and stays charged', async (reason) => {
    const owner = await tenantOf();
    const sent = await sendTemplate(owner, aPhone());
    expect((await deliver(meta.receipt(await accepted(sent), reason))).status).toBe(200);
    await moves(owner, sent, { status: 'failed', reason });
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING - MARKETING, heldCoins: 0 });
    const failed = [{ data: { reason } }];
    await vi.waitFor(async () => expect(await eventsOf(owner, 'message.failed')).toMatchObject(failed), PATIENCE);
  });
});

describe('a message that Meta refuses', () => {
  test.each([
    ['400:131026', 'undeliverable'],
    ['400:132012', 'invalid_template_variable'],
    ['404:132001', 'content_rejected'],
    ['403:131031', undefined],
    ['401:190', undefined],
  ])('with %s has failed, raises an event and costs nothing', async (code, reason) => {
    const owner = await tenantOf();
    meta.script({ refuse: code });
    const sent = await sendTemplate(owner, aPhone());
    await moves(owner, sent, { status: 'failed', lastError: expect.stringContaining(code.slice(4)) });
    expect((await owner.live.get(`/messages/${sent.body.id}`)).body.reason).toBe(reason);
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
    expect(await eventsOf(owner, 'message.failed')).toHaveLength(1);
    await checkMoney(messaging.tables.live, owner.id);
  });

  test('with an uncertain answer is resolved by its status report, and never sent again', async () => {
    const owner = await tenantOf();
    meta.script('accept_and_reset');
    const sent = await sendTemplate(owner, aPhone());
    const message = await accepted(sent);
    expect((await deliver(meta.receipt(message, 'delivered'))).status).toBe(200);
    await moves(owner, sent, { status: 'delivered' });
    expect(meta.messages.filter(({ messageId }) => messageId === sent.body.id)).toHaveLength(1);
    await checkMoney(messaging.tables.live, owner.id);
  });
});

describe('a free-form message', () => {
  const text = (to: string) => ({ to, type: 'text', payload: { text: 'Olá, Ana' } });

  test('is refused until its recipient has written', async () => {
    const owner = await tenantOf();
    const phone = aPhone();
    const closed = { meta: { code: 'window_closed' } };
    expectProblem(await send(owner, text(phone)), 409, closed);
    // The WhatsApp id of an old mobile number lacks the ninth digit.
    await writes(owner, phone, `${waId(phone).slice(0, 4)}${waId(phone).slice(5)}`);
    const sent = await send(owner, text(phone));
    expect(sent.status).toBe(201);
    expect((await accepted(sent)).text).toBe('Olá, Ana');
    await moves(owner, sent, { status: 'sent' });
    expect(await walletOf(owner.live)).toMatchObject({ balanceCoins: OPENING - MARKETING - SESSION });
    expectProblem(await send(await tenantOf(), text(phone)), 409, closed);
  });

  test('with media, buttons or a flow is sent as given, and an invalid one is refused before', async () => {
    const owner = await tenantOf();
    const phone = aPhone();
    await writes(owner, phone);
    const interactive = {
      type: 'flow',
      body: { text: 'Agende' },
      action: { name: 'flow', parameters: { flow_id: '1' } },
    };
    for (const [type, payload] of [
      ['media', { media: { kind: 'document', id: '1013859600285441', caption: 'Nota', filename: 'nota.pdf' } }],
      ['media', { media: { kind: 'audio', id: '1013859600285441', voice: true } }],
      ['interactive', { interactive }],
    ] as const) {
      const sent = await send(owner, { to: phone, type, payload });
      expect(sent.status).toBe(201);
      expect((await accepted(sent)).content).toEqual({ payload });
    }
    const media = { kind: 'audio', id: '1', caption: 'a' };
    expectProblem(await send(owner, { to: phone, type: 'media', payload: { media } }), 422, {
      errors: ['payload.media.caption'],
    });
    expectProblem(await send(owner, { to: phone, type: 'text', payload: { text: 'a'.repeat(4_097) } }), 422, {
      errors: ['payload.text'],
    });
  });
});

describe('a number of an organization', () => {
  test('has a window of its own: a free-form message is sent only from the number that its recipient wrote to', async () => {
    const owner = await tenantOf();
    const [sales, care] = await Promise.all(
      [SALES_NUMBER, CARE_NUMBER].map((phoneNumberId) =>
        connectNumber(messaging, owner, { phoneNumberId, wabaId: '702290129340398', accessToken: OWN_TOKEN }),
      ),
    );
    const phone = aPhone();
    await writesTo(phone, SALES_NUMBER);
    expectProblem(await sendText(owner, phone, care?.id), 409, { meta: { code: 'window_closed' } });
    expect(await accepted(await sendText(owner, phone, sales?.id))).toMatchObject({ from: SALES_NUMBER });
    await writesTo(phone, CARE_NUMBER);
    expect(await accepted(await sendText(owner, phone, care?.id))).toMatchObject({ from: CARE_NUMBER });
  });

  test('that the recipient wrote to last is the sender by default while connected; otherwise the shared number is', async () => {
    const owner = await tenantOf();
    for (const [phoneNumberId, wabaId] of [
      [NORTH_NUMBER, '802290129340398'],
      [SOUTH_NUMBER, '902290129340398'],
    ] as const)
      await connectNumber(messaging, owner, { phoneNumberId, wabaId, accessToken: OWN_TOKEN });
    const phone = aPhone();
    const answerFrom = async () => (await accepted(await sendText(owner, phone))).from;
    const ago = (seconds: number) => ({ timestamp: String(Math.floor(Date.now() / 1000) - seconds) });
    expect((await accepted(await sendTemplate(owner, phone))).from).toBe(PHONE_NUMBER_ID);
    await writesTo(phone, SOUTH_NUMBER, ago(60));
    expect(await answerFrom()).toBe(SOUTH_NUMBER);
    await writesTo(phone, NORTH_NUMBER, ago(30));
    expect(await answerFrom()).toBe(NORTH_NUMBER);
    const value = { event: 'ACCOUNT_DELETED', waba_info: { waba_id: '802290129340398' } };
    expect((await deliver(meta.changes({ field: 'account_update', value }))).status).toBe(200);
    expect((await accepted(await sendTemplate(owner, phone))).from).toBe(PHONE_NUMBER_ID);
  });

  test('sends with its own token, receives for its organization only, and follows the reports of Meta', async () => {
    const owner = await tenantOf();
    const number = await connectNumber(messaging, owner, {
      phoneNumberId: OWN_NUMBER,
      wabaId: WABA_ID,
      accessToken: OWN_TOKEN,
    });
    const phone = aPhone();
    const inbound = meta.inbound(waId(phone), { type: 'text', text: { body: 'Primeira vez' } }, { number: OWN_NUMBER });
    for (const answer of await Promise.all([deliver(inbound), deliver(inbound)])) expect(answer.status).toBe(200);
    expect(await eventsOf(owner, 'message.received')).toHaveLength(1);
    const sent = await send(owner, { to: phone, type: 'text', payload: { text: 'Bem-vinda' } });
    expect(await accepted(sent)).toMatchObject({ from: OWN_NUMBER, text: 'Bem-vinda' });
    expect((await owner.live.get(`/messages/${sent.body.id}`)).body.numberId).toBe(number.id);

    const other = await tenantOf();
    expectProblem(await sendText(other, phone, number.id), 422, { errors: ['numberId'] });
    const payload = { template: { name: 'a', language: 'pt-BR' } };
    const stolen = await send(other, { to: phone, type: 'template', payload, numberId: number.id });
    expectProblem(stolen, 422, { errors: ['numberId'] });

    const change = {
      field: 'phone_number_quality_update',
      value: { display_phone_number: '15550783881', event: 'FLAGGED' },
    };
    const statuses = { field: 'messages', value: meta.statuses('read', [await accepted(sent)]) };
    expect((await deliver(meta.changes(change, statuses))).status).toBe(200);
    await moves(owner, sent, { status: 'read' });
    expect((await owner.live.get(`/numbers/${number.id}`)).body.qualityRating).toBe('red');
    expect(await eventsOf(owner, 'number.quality_changed')).toHaveLength(1);
  });
});

test('a callback for no organization is acknowledged and changes nothing', async () => {
  const owner = await tenantOf();
  const before = await messaging.rowsOf('live', owner.id);
  await writesTo(aPhone());
  const account = { field: 'account_update', value: { event: 'ACCOUNT_DELETED', waba_info: { waba_id: '1' } } };
  expect((await deliver(meta.changes(account))).status).toBe(200);
  expect(await messaging.rowsOf('live', owner.id)).toEqual(before);
});
