import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Client } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, becomes, keyed, optedOut, walletOf } from './support.ts';

const PATH = '/v2/rcs/messages';
const PHONE = '+5511999990005';
const anRcs = { to: PHONE, content: { text: 'Seu pedido saiu.' }, route: 'easy_rcs' } as const;
const CARD = {
  title: 'Seu pedido saiu',
  description: 'Chega hoje até as 18 h. 🚚',
  fileUrl: 'https://cdn.loja.example/pedido.png?v=2',
  suggestions: [
    { kind: 'openUrl', label: 'Rastrear', url: 'https://loja.example/pedidos/é?q=1' },
    { kind: 'call', label: 'Ligar', phone: '+551130001234' },
    { kind: 'reply', label: 'Recebi', postback: 'ok-1' },
    { kind: 'reply', label: 'Não recebi' },
  ],
};
const card = (more: object) => ({ content: { card: { title: 'T', description: 'D', ...more } } });
const button = (fields: object) => card({ suggestions: [fields] });

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();

const sendBy = (client: Client, fields: Readonly<Record<string, unknown>> = {}, key?: string) =>
  client.post(PATH, { ...anRcs, ...fields }, keyed(key));
const send = (fields?: Readonly<Record<string, unknown>>, key?: string) => sendBy(tenant.test, fields, key);

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const asAccepted = {
  id: expect.stringMatching(/^msg_[0-9A-Za-z]{21}$/),
  to: PHONE,
  content: { text: 'Seu pedido saiu.' },
  route: 'easy_rcs',
  status: 'sent',
  env: 'test',
  createdAt: instant,
  sentAt: instant,
  billing: { coins: 1_200 },
  replayed: false,
};

describe('an accepted RCS send', () => {
  test('is answered 201 with exactly the message, its price and replayed, without a channel', async () => {
    const { status, body } = await send();
    expect({ status, body }).toEqual({ status: 201, body: asAccepted });
  });

  test('returns card, contactId, campaignId and metadata unchanged, in the response, the read and the list', async () => {
    const contact = await tenant.test.post('/contacts', { phone: '+5511999990001' });
    const given = {
      content: { card: CARD },
      contactId: contact.body.id,
      campaignId: 'Black Friday / 2026',
      metadata: { orderId: 'A-1', attempt: 1.5, vip: false },
    };
    const { status, body } = await send({ ...given, fallback: { text: 'Seu pedido saiu.' } });
    expect({ status, body }).toEqual({ status: 201, body: { ...asAccepted, ...given } });
    const read = await tenant.test.get(`${PATH}/${body.id}`);
    expect(read.body).toMatchObject({ id: body.id, ...given });
    for (const field of ['billing', 'replayed', 'fallback']) expect(read.body).not.toHaveProperty(field);
    const listed = await tenant.test.get(PATH, { campaignId: given.campaignId });
    expect(listed.body).toMatchObject({ items: [{ id: body.id, ...given }] });
  });

  test('costs the price of its route and destination at any length, and counts towards no volume band', async () => {
    const other = await messaging.tenant();
    const prices = [
      [{}, 1_200],
      [{ route: 'easy_otp_rcs' }, 1_400],
      [{ content: { text: 'á🙂'.repeat(80) } }, 1_200],
      [card({ description: 'x'.repeat(2_000) }), 1_200],
      [{ to: '+351912340005', fallback: { text: 'Oi' } }, 10_500],
    ] as const;
    for (const [fields, coins] of prices) expect((await sendBy(other.test, fields)).body.billing).toEqual({ coins });
    const wallet = await walletOf(other.test);
    expect(wallet).toMatchObject({ balanceCoins: 10_000_000 - 15_500, heldCoins: 0 });
    for (const { segments } of wallet.bands) expect(segments).toBe(0);
    await checkMoney(messaging.tables.test, other.id);
  });

  test.each([
    ['an SMS of two segments holds its price and keeps it where it left so', '0021', 'x'.repeat(161), 1_600, 1_600],
    ['an SMS of two segments returns what RCS costs less', '0005', 'x'.repeat(161), 1_600, 1_200],
    ['an SMS in UCS-2 holds the price of RCS and returns what it costs less', '0021', '🙂', 1_200, 800],
    ['an SMS in UCS-2 keeps the price of RCS where it left so', '0005', '🙂', 1_200, 1_200],
    ['a message that fails costs what RCS costs', '0006', 'x'.repeat(161), 1_600, 1_200],
    ['an SMS of one segment costs the price of RCS either way', '0021', 'ã'.repeat(160), 1_200, 1_200],
  ])('with a fallback, %s', async (_, ending, text, held, kept) => {
    const other = await messaging.tenant();
    const sent = await sendBy(other.test, { to: `+551199999${ending}`, fallback: { text } });
    expect(sent.body.billing).toEqual({ coins: held });
    const balanceCoins = 10_000_000 - kept;
    await becomes(other.test, '/v2/wallet', { balanceCoins, heldCoins: 0 }, { timeout: 30_000, interval: 200 });
    await becomes(other.test, `${PATH}/${sent.body.id}`, { status: expect.stringMatching(/^(delivered|failed)$/) });
    await checkMoney(messaging.tables.test, other.id);
    expect((await walletOf(other.test)).balanceCoins).toBe(balanceCoins);
  });

  test('masks its recipient without pii:full, in the response, the read and the list', async () => {
    const masked = await messaging.limited(tenant.test, ['rcs:send', 'rcs:read']);
    const { body } = await sendBy(masked);
    const [read, listed] = [await masked.get(`${PATH}/${body.id}`), await masked.get(PATH, { limit: 1 })];
    expect([body.to, read.body.to, listed.body.items[0].to]).toEqual(Array(3).fill('+55119****0005'));
  });

  test.each([
    ['text of 160 characters', { content: { text: '🙂'.repeat(160) } }],
    ['title of 200', card({ title: 'é'.repeat(200) })],
    ['label of 25', button({ kind: 'reply', label: 'é'.repeat(25) })],
    ['postback of 2,048', button({ kind: 'reply', label: 'L', postback: 'x'.repeat(2_048) })],
    ['card without image or buttons', card({})],
    ['card without any of four buttons', card({ suggestions: [] })],
    ['button that opens a page by http', button({ kind: 'openUrl', label: 'L', url: 'http://loja.example' })],
    ['fallback of 160 characters, accents among them', { fallback: { text: 'ã'.repeat(160) } }],
  ])('accepts a %s', async (_, fields) => expect((await send(fields)).status).toBe(201));
});

describe('an RCS send that breaks the contract', () => {
  test.each([
    ['to', { to: undefined }],
    ['to', { to: '11999990005' }],
    ['to', { to: '+5511999990005 ' }],
    ['content', { content: undefined }],
    ['content', { content: {} }],
    ['content', { content: { text: 'x', card: { title: 'T', description: 'D' } } }],
    ['content.html', { content: { text: 'x', html: 'x' } }],
    ['content.text', { content: { text: '' } }],
    ['content.text', { content: { text: 'x'.repeat(161) } }],
    ['content.text', { content: { text: `${'x'.repeat(139)} https://loja.example` }, trackLinks: true }],
    ['content.card.title', card({ title: undefined })],
    ['content.card.title', card({ title: 'x'.repeat(201) })],
    ['content.card.description', card({ description: '' })],
    ['content.card.description', card({ description: 'x'.repeat(2_001) })],
    ['content.card.fileUrl', card({ fileUrl: 'http://cdn.loja.example/a.png' })],
    ['content.card.fileUrl', card({ fileUrl: 'https://localhost/a.png' })],
    ['content.card.fileUrl', card({ fileUrl: 'https://printer.local/a.png' })],
    ['content.card.fileUrl', card({ fileUrl: 'https://10.0.0.1/a.png' })],
    ['content.card.fileUrl', card({ fileUrl: 'https://8.8.8.8/a.png' })],
    ['content.card.fileUrl', card({ fileUrl: 'https://user:pass@cdn.loja.example/a.png' })],
    ['content.card.fileUrl', card({ fileUrl: `https://cdn.loja.example/${'x'.repeat(2_000)}` })],
    ['content.card.suggestions', card({ suggestions: Array(5).fill({ kind: 'reply', label: 'L' }) })],
    ['content.card.suggestions.0.label', button({ kind: 'reply', label: 'x'.repeat(26) })],
    ['content.card.suggestions.0.label', button({ kind: 'reply' })],
    ['content.card.suggestions.0.kind', button({ kind: 'share', label: 'L' })],
    ['content.card.suggestions.0.url', button({ kind: 'openUrl', label: 'L' })],
    ['content.card.suggestions.0.url', button({ kind: 'openUrl', label: 'L', url: 'javascript:alert(1)' })],
    ['content.card.suggestions.0.phone', button({ kind: 'call', label: 'L', phone: '190' })],
    ['content.card.suggestions.0.url', button({ kind: 'reply', label: 'L', url: 'https://loja.example' })],
    ['route', { route: undefined }],
    ['route', { route: 'premium' }],
    ['fallback.text', { fallback: {} }],
    ['fallback.text', { fallback: { text: 'x'.repeat(1_521) } }],
    ['fallback.text', { fallback: { text: `${'x'.repeat(1_519)}…` } }],
    ['contactId', { contactId: 'cnt_short' }],
    ['contactId', { contactId: 'cnt_000000000000000000000' }],
    ['campaignId', { campaignId: 'x'.repeat(129) }],
    ['metadata.1a', { metadata: { '1a': 1 } }],
    ['trackLinks', { trackLinks: 'true' }],
    ['senderId', { senderId: 'LOJA' }],
  ])('at %j is 422 with the path', async (path, fields) => {
    expectProblem(await send(fields), 422, { errors: [path] });
  });

  test('is not stored or charged, whatever refused it', async () => {
    const other = await messaging.tenant();
    const before = await messaging.rowsOf('test', other.id);
    for (const fields of [{ to: 'x' }, { content: {} }, card({ fileUrl: 'https://localhost/a' }), { route: 'x' }])
      expectProblem(await sendBy(other.test, fields), 422);
    expect(await messaging.rowsOf('test', other.id)).toEqual(before);
  });

  test('is checked in the documented order: credential, scope, key, shape, opt-out, balance, provider', async () => {
    const poor = await messaging.tenant();
    const reader = await messaging.limited(tenant.test, ['rcs:read', 'sms:send']);
    const broken = { ...anRcs, to: 'x' };
    expectProblem(await messaging.anonymous.post(PATH, broken), 401);
    expectProblem(await reader.post(PATH, broken), 403);
    expectProblem(await poor.live.post(PATH, broken), 400);
    expectProblem(await sendBy(poor.live, { to: 'x' }), 422, { errors: ['to'] });
    await optedOut(poor.live, { phone: PHONE });
    expectProblem(await sendBy(poor.live), 422, { meta: { motivo: 'opt_out' } });
    expectProblem(await sendBy(poor.live, { route: 'easy_otp_rcs' }), 402);
    await messaging.credit('live', poor.id, 1_400);
    const refused = await sendBy(poor.live, { route: 'easy_otp_rcs' });
    expectProblem(refused, 502);
    expect(refused.body.detail).toContain('rcs');
    expect(await walletOf(poor.live)).toMatchObject({ balanceCoins: 1_400, heldCoins: 0 });
  });
});

describe('an Idempotency-Key', () => {
  test('with the same body, its fields in any order, is replayed and sends nothing', async () => {
    const key = randomUUID();
    const first = await send({ metadata: { a: 1, b: 2 } }, key);
    const before = await balanceOf(tenant.test);
    const { to, content, route } = anRcs;
    const again = await tenant.test.post(PATH, { metadata: { b: 2, a: 1 }, route, content, to }, keyed(key));
    expect(again).toMatchObject({ status: 201, body: { ...first.body, replayed: true } });
    expect(await balanceOf(tenant.test)).toBe(before);
  });

  test.each([
    ['text', { content: { text: 'Outro texto' } }],
    ['kind of content', card({})],
    ['fallback', { fallback: { text: 'Por SMS' } }],
    ['route', { route: 'easy_otp_rcs' }],
    ['trackLinks', { trackLinks: true }],
  ])('with another %s is 409, and the first response is still replayed', async (_, change) => {
    const key = randomUUID();
    const first = await send({}, key);
    expectProblem(await send(change, key), 409);
    expect((await send({}, key)).body).toEqual({ ...first.body, replayed: true });
  });

  test('that an SMS used is 409: keys are shared by all channels', async () => {
    const key = randomUUID();
    await tenant.test.send({}, key);
    expectProblem(await send({}, key), 409);
  });

  test('is required: 400 without', async () => expectProblem(await tenant.test.post(PATH, anRcs), 400));
});

test('a contact that opted out is refused easy_rcs, by its id or phone, and always accepted on easy_otp_rcs', async () => {
  const owner = await messaging.tenant();
  const contactId = await optedOut(owner.test, { phone: PHONE });
  const before = await messaging.rowsOf('test', owner.id);
  for (const fields of [{}, { contactId, to: '+5511999990006' }])
    expectProblem(await sendBy(owner.test, fields), 422, { meta: { motivo: 'opt_out' } });
  expect(await messaging.rowsOf('test', owner.id)).toEqual(before);
  for (const fields of [{}, { contactId }])
    expect((await sendBy(owner.test, { ...fields, route: 'easy_otp_rcs' })).status).toBe(201);
});

describe('tracked links', () => {
  const follow = async (address: string) => {
    const followed = await messaging.anonymous.get(new URL(address).pathname);
    return [followed.status, followed.headers.get('location')];
  };
  const clicksOf = async (id: string) =>
    (await messaging.eventsOf('test', tenant.id)).filter(({ type, data }) => type === 'rcs.clicked' && data.id === id);

  test('replace URLs in text and openUrl buttons, redirect and raise rcs.clicked; the image URL is unchanged', async () => {
    const metadata = { orderId: 'A-9' };
    const text = await send({ content: { text: 'Veja https://loja.example/a.' }, trackLinks: true, metadata });
    const [, link = ''] = /^Veja (http\S+\/r\/t\w+)\.$/.exec(text.body.content.text) ?? [];
    expect(await follow(link)).toEqual([302, 'https://loja.example/a']);
    const rich = await send({ content: { card: CARD }, trackLinks: true, metadata });
    const [first, ...others] = rich.body.content.card.suggestions;
    expect(await follow(first.url)).toEqual([302, 'https://loja.example/pedidos/%C3%A9?q=1']);
    expect(rich.body.content.card).toEqual({ ...CARD, suggestions: [first, ...CARD.suggestions.slice(1)] });
    expect(others).toEqual(CARD.suggestions.slice(1));
    for (const { body } of [text, rich]) {
      const [click, ...more] = await clicksOf(body.id);
      expect(more).toEqual([]);
      expect(click).toMatchObject({
        env: 'test',
        data: { id: body.id, metadata, to: '+55119****0005', route: 'easy_rcs' },
      });
    }
  });

  test('are made only when trackLinks is true', async () => {
    for (const more of [{}, { trackLinks: false }]) {
      const { body } = await send({ content: { card: CARD }, ...more });
      expect(body.content.card).toEqual(CARD);
    }
  });
});

test('one RCS message is read only with rcs:read, and 404 for an SMS or unknown id', async () => {
  const [{ body }, sms] = [await send(), await tenant.test.send()];
  const sender = await messaging.limited(tenant.test, ['rcs:send', 'sms:read']);
  expectProblem(await sender.get(`${PATH}/${body.id}`), 403);
  expectProblem(await messaging.anonymous.get(`${PATH}/${body.id}`), 401);
  for (const id of [sms.body.id, 'msg_000000000000000000000', 'x', '%00'])
    expectProblem(await tenant.test.get(`${PATH}/${id}`), 404);
  expectProblem(await tenant.test.get(`/v2/sms/messages/${body.id}`), 404);
  expectProblem(await tenant.live.get(`${PATH}/${body.id}`), 404);
});
