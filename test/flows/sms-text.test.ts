import { describe, expect, test } from 'vitest';
import type { MessageOf } from '../../shared/domain/message/message.ts';
import { messageRows } from '../../shared/storage/messages/message-rows.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();
const tenant = await messaging.tenant();

const preview = (body: unknown, more = {}) => tenant.test.post('/v2/sms/preview', { body, ...more });
const counts = ({ encoding, length, segments }: Record<string, unknown>) => [encoding, length, segments];

/** The body, the text that reaches the device, and its count. */
const TEXTS: readonly (readonly [
  guarantee: string,
  body: string,
  text: string,
  encoding: string,
  length: number,
  segments: number,
])[] = [
  ['160 GSM-7 characters are one segment', 'a'.repeat(160), 'a'.repeat(160), 'GSM-7', 160, 1],
  ['161 GSM-7 characters are two', 'a'.repeat(161), 'a'.repeat(161), 'GSM-7', 161, 2],
  ['304 GSM-7 characters are two segments of 152', 'a'.repeat(304), 'a'.repeat(304), 'GSM-7', 304, 2],
  ['305 GSM-7 characters are three', 'a'.repeat(305), 'a'.repeat(305), 'GSM-7', 305, 3],
  ['70 UCS-2 units are one segment', '🙂'.repeat(35), '🙂'.repeat(35), 'UCS-2', 70, 1],
  ['71 UCS-2 units are two', `${'🙂'.repeat(35)}a`, `${'🙂'.repeat(35)}a`, 'UCS-2', 71, 2],
  ['134 UCS-2 units are two segments of 67', `日${'a'.repeat(133)}`, `日${'a'.repeat(133)}`, 'UCS-2', 134, 2],
  ['135 UCS-2 units are three', `日${'a'.repeat(134)}`, `日${'a'.repeat(134)}`, 'UCS-2', 135, 3],
  ['a character of the GSM-7 extension counts two', '€[]', '€[]', 'GSM-7', 6, 1],
  ['80 of them fill a segment, 81 take two', '€'.repeat(81), '€'.repeat(81), 'GSM-7', 162, 2],
  [
    'an extension character across the edge of two segments adds none',
    `${'a'.repeat(151)}€${'b'.repeat(151)}`,
    `${'a'.repeat(151)}€${'b'.repeat(151)}`,
    'GSM-7',
    304,
    2,
  ],
  [
    'an emoji across the edge of two segments adds none',
    `${'a'.repeat(66)}🙂${'b'.repeat(66)}`,
    `${'a'.repeat(66)}🙂${'b'.repeat(66)}`,
    'UCS-2',
    134,
    2,
  ],
  ['accents that GSM-7 lacks lose their mark', 'ação à São João', 'acao à Sao Joao', 'GSM-7', 15, 1],
  ['accents that GSM-7 has are kept', 'é à ü É ñ Ç', 'é à ü É ñ Ç', 'GSM-7', 11, 1],
  ['curly quotes become straight', '“oi” ‘tu’', '"oi" \'tu\'', 'GSM-7', 9, 1],
  ['dashes and special spaces become plain', 'a — b\u00a0c', 'a - b c', 'GSM-7', 7, 1],
  ['a letter with a combining mark is one letter', 'sa\u0303o cafe\u0301', 'sao café', 'GSM-7', 8, 1],
  ['an emoji moves the whole message to UCS-2', 'oi 🙂', 'oi 🙂', 'UCS-2', 5, 1],
];

describe('a text', () => {
  test.each(TEXTS)('%s: the preview and the send count the same', async (_, body, text, encoding, length, segments) => {
    const [shown, sent] = await Promise.all([preview(body), tenant.test.send({ body })]);
    expect({ status: shown.status, body: shown.body }).toEqual({
      status: 200,
      body: { body: text, encoding, length, segments },
    });
    expect([sent.status, ...counts(sent.body)]).toEqual([201, encoding, length, segments]);
    expect(sent.body.billing).toEqual({ coins: segments * 800 });
    const read = await tenant.test.get(`/v2/sms/messages/${sent.body.id}`);
    expect(counts(read.body)).toEqual([encoding, length, segments]);
  });

  test('never costs more by the replacement of its characters', async () => {
    const ellipses = '…'.repeat(60);
    const { body } = await preview(ellipses);
    expect(body.segments).toBe(1);
    expect((await preview(`${ellipses}🙂`)).body).toMatchObject({
      body: `${ellipses}🙂`,
      encoding: 'UCS-2',
      segments: 1,
    });
  });

  test('may have 10,000 characters', async () => {
    expect((await preview('a'.repeat(10_000))).body).toMatchObject({ length: 10_000, segments: 66 });
    expectProblem(await preview('a'.repeat(10_001)), 422, { errors: ['body'] });
  });
});

describe('a preview', () => {
  test('is priced only with a route, by that route', async () => {
    const prices = await Promise.all(
      [{}, { route: 'premium' }, { route: 'otp' }].map((more) => preview('a'.repeat(161), more)),
    );
    expect(prices.map(({ body }) => body.billing)).toEqual([undefined, { coins: 1_600 }, { coins: 1_800 }]);
  });

  test('of la_dedicada is 412, like its send', async () => {
    expectProblem(await preview('oi', { route: 'la_dedicada' }), 412);
    expectProblem(await tenant.test.send({ route: 'la_dedicada' }), 412);
  });

  test.each([
    ['body', {}],
    ['body', { body: '' }],
    ['body', { body: null }],
    ['route', { body: 'oi', route: 'express' }],
    ['to', { body: 'oi', to: '11999990005' }],
  ])('that breaks the contract at %j is 422', async (path, body) => {
    expectProblem(await tenant.test.post('/v2/sms/preview', body), 422, { errors: [path] });
  });

  test('needs the scope sms:send and JSON, and no Idempotency-Key', async () => {
    const reader = await messaging.limited(tenant.test, ['sms:read']);
    expectProblem(await reader.post('/v2/sms/preview', { body: 'oi' }), 403);
    expectProblem(await messaging.anonymous.post('/v2/sms/preview', { body: 'oi' }), 401);
    expectProblem(await tenant.test.post('/v2/sms/preview', '{"body":'), 400);
    expectProblem(await tenant.test.post('/v2/sms/preview', { body: 'oi' }, { 'content-type': 'text/plain' }), 400);
  });

  test('stores nothing, charges nothing and moves no volume, in either environment', async () => {
    const other = await messaging.tenant();
    const rows = () => Promise.all([messaging.rowsOf('test', other.id), messaging.rowsOf('live', other.id)]);
    const before = await rows();
    for (const client of [other.test, other.live])
      expect((await client.post('/v2/sms/preview', { body: 'a'.repeat(500), route: 'otp' })).body.billing).toEqual({
        coins: 3_600,
      });
    expect(await rows()).toEqual(before);
  });
});

describe('a tracked link', () => {
  const LINK = /^http:\/\/127\.0\.0\.1:\d+\/r\/t[0-9A-Za-z]{9}$/;
  const textOf = async (id: string) => {
    const rows = await messaging.rowsOf('test', tenant.id);
    const row = rows.find(({ pk }) => pk === `MSG#${id}`) ?? expect.fail();
    return (messageRows.read(row) as MessageOf<'sms'>).content.text;
  };

  test('replaces each occurrence of a URL, and the replaced text is counted', async () => {
    const url = `https://loja.example/${'p'.repeat(180)}?a=1`;
    const { status, body } = await tenant.test.send({ body: `Veja (${url}), e ${url}.`, trackLinks: true });
    const text = await textOf(body.id);
    const [first = '', second = ''] = text.match(/http[^),]+(?<!\.)/g) ?? [];
    expect(text).toBe(`Veja (${first}), e ${second}.`);
    expect([first, second]).toEqual([expect.stringMatching(LINK), expect.stringMatching(LINK)]);
    expect(first).not.toBe(second);
    expect({ status, counts: counts(body), coins: body.billing.coins }).toEqual({
      status: 201,
      counts: ['GSM-7', text.length, 1],
      coins: 800,
    });
  });

  test('may occur 50 times in a text: more are 422, not stored or charged', async () => {
    const links = (count: number) => tenant.test.send({ body: 'https://a.example '.repeat(count), trackLinks: true });
    expect((await links(50)).status).toBe(201);
    const before = (await tenant.test.get('/v2/sms/messages')).body.total;
    expectProblem(await links(51), 422, { errors: ['body'] });
    expect((await tenant.test.send({ body: 'https://a.example '.repeat(51) })).status).toBe(201);
    expect((await tenant.test.get('/v2/sms/messages')).body.total).toBe(before + 1);
  });

  test('is made only when trackLinks is true', async () => {
    const text = 'Veja https://loja.example/a';
    for (const more of [{}, { trackLinks: false }]) {
      const { body } = await tenant.test.send({ body: text, ...more });
      expect(await textOf(body.id)).toBe(text);
    }
  });

  test('redirects with 302, and each click raises sms.clicked with the metadata', async () => {
    const metadata = { orderId: 'A-9' };
    const { body } = await tenant.test.send({ body: 'Veja https://loja.example/é?q=1', trackLinks: true, metadata });
    const link = new URL((await textOf(body.id)).slice('Veja '.length));
    for (let click = 0; click < 2; click++) {
      const followed = await messaging.anonymous.get(link.pathname);
      expect([followed.status, followed.headers.get('location'), followed.text]).toEqual([
        302,
        'https://loja.example/%C3%A9?q=1',
        '',
      ]);
      expect(followed.headers.get('cache-control')).toBe('no-store');
    }
    const clicks = (await messaging.eventsOf('test', tenant.id)).filter(
      ({ type, data }) => type === 'sms.clicked' && data.id === body.id,
    );
    expect(clicks).toHaveLength(2);
    expect(clicks[0]).toMatchObject({ env: 'test', data: { channel: 'sms', metadata, to: '+55119****0005' } });
  });

  test('redirects a HEAD as a GET, without a body, and counts no click', async () => {
    const { body } = await tenant.test.send({ body: 'Veja https://loja.example/h', trackLinks: true });
    const { pathname } = new URL((await textOf(body.id)).slice('Veja '.length));
    const seen = await messaging.anonymous.call('HEAD', pathname);
    expect([seen.status, seen.headers.get('location'), seen.text]).toEqual([302, 'https://loja.example/h', '']);
    await messaging.anonymous.get(pathname);
    const clicks = (await messaging.eventsOf('test', tenant.id)).filter(
      ({ type, data }) => type === 'sms.clicked' && data.id === body.id,
    );
    expect(clicks.map(({ data }) => data.click)).toEqual([1]);
  });

  test('that does not exist, or is of the other environment, is 404', async () => {
    expectProblem(await messaging.anonymous.get('/r/t000000000'), 404);
    const { body } = await tenant.test.send({ body: 'https://loja.example/a', trackLinks: true });
    const code = (await textOf(body.id)).split('/r/t')[1];
    expectProblem(await messaging.anonymous.get(`/r/l${code}`), 404);
  });
});
