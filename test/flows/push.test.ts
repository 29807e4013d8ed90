import { describe, expect, test } from 'vitest';
import { aPush, BROWSER, dispatchesOf, ended, OPENING, send, shopOf, wallet } from '../push/flow.ts';
import { apiClient } from '../support/api.ts';
import { pagesOf } from '../support/pages.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { idsOf } from './support.ts';

const messaging = await sharedMessaging();

const shop = () => shopOf(messaging);

describe('a push message', () => {
  test('is sent to every opted-in device of its platforms, with exact counts', async () => {
    const { tenant, client, register } = await shop();
    const endings = ['0005', '0099', '1234', '0006', '0008', '0013', '0018', '0114'];
    for (const ending of endings) await register(`device-${ending}`);
    await register('device-x-0005', { platform: 'android' });
    await register('https://web.push.apple.com/device-y-0005', { platform: 'web', ...BROWSER });
    const sent = await send(client, { platforms: ['ios', 'android'] });
    expect(sent).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^msg_[0-9A-Za-z]{21}$/),
        status: 'queued',
        origin: 'api',
        rateKind: 'simple',
        audience: { segment: 'all_opt_in' },
        billing: { coins: 90, chargedCoins: 0 },
        metrics: { reach: 9, delivered: 0, opened: 0, failures: 0 },
        replayed: false,
      },
    });
    const body = await ended(client, sent.body.id);
    expect(body).toMatchObject({
      status: 'sent',
      billing: { coins: 90, chargedCoins: 40 },
      metrics: { reach: 9, delivered: 4, opened: 0, failures: 5 },
      breakdown: { ios: { delivered: 3, failures: 5, opened: 0 }, android: { delivered: 1, failures: 0, opened: 0 } },
    });
    expect(body.breakdown.web).toBeUndefined();
    expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING - 40, heldCoins: 0 });
    const events = await messaging.eventsOf('test', tenant.id);
    const raised = events.filter(({ type }) => type.startsWith('message.'));
    expect(raised.map(({ type, data }) => ({ type, data }))).toEqual([
      { type: 'message.queued', data: expect.objectContaining({ id: body.id, channel: 'push', to: 'all_opt_in' }) },
      { type: 'message.sent', data: expect.objectContaining({ id: body.id, reach: 9, delivered: 4, failures: 5 }) },
    ]);
  });

  test('retires an unregistered token until it is registered again', async () => {
    const { client, register } = await shop();
    await register('device-0008');
    const { id } = (await send(client)).body;
    expect(await ended(client, id)).toMatchObject({ status: 'failed', metrics: { reach: 1, failures: 1 } });
    expect(await dispatchesOf(client, id)).toMatchObject([{ status: 'failed', reason: 'unregistered' }]);
    expect((await send(client)).body.metrics.reach).toBe(0);
    await register('device-0008');
    expect((await client.post('/v2/push/preview', { platforms: ['ios'] })).body.reach).toBe(1);
  });

  test('to named devices is sent to each once, and to none that is unknown or of another organization', async () => {
    const [{ client, register }, other] = [await shop(), await shop()];
    const own = (await register('device-1')).body.id;
    const theirs = (await other.register('device-1')).body.id;
    const tokenIds = [own, own, theirs, `ptk_${'0'.repeat(21)}`, 'nonsense'];
    const { body } = await send(client, { tokenIds });
    expect(body).toMatchObject({ audience: { tokens: 1 }, metrics: { reach: 1 } });
    await ended(client, body.id);
    expect(await dispatchesOf(client, body.id)).toMatchObject([{ tokenId: own, status: 'delivered' }]);
  });

  test.each([
    ['a segment beside tokenIds', { segment: 'all_opt_in', tokenIds: ['x'] }, ['tokenIds']],
    ['an unknown segment', { segment: `seg_${'0'.repeat(21)}` }, ['segment']],
    ['an unknown list', { segment: `lst_${'0'.repeat(21)}` }, ['segment']],
    ['no platform', { platforms: [] }, ['platforms']],
    ['a platform twice', { platforms: ['ios', 'ios'] }, ['platforms']],
    ['an unknown platform', { platforms: ['fax'] }, ['platforms.0']],
    ['an image that is not https', { imageUrl: 'http://loja.example/a.png' }, ['imageUrl']],
    ['a time too far ahead', { scheduledAt: '2099-01-01T00:00:00Z' }, ['scheduledAt']],
    ['more than push services accept', { body: '🚚'.repeat(900), deepLink: `loja://${'x'.repeat(1_000)}` }, ['body']],
  ])('with %s is refused: 422', async (_, fields, errors) => {
    const { client } = await shop();
    expectProblem(await send(client, fields), 422, { errors });
  });

  test.each([
    ['a segment beside tokenIds', { segment: 'all_opt_in', tokenIds: ['x'] }, ['tokenIds']],
    ['an unknown segment', { segment: `seg_${'0'.repeat(21)}` }, ['segment']],
    ['an unknown list', { segment: `lst_${'0'.repeat(21)}` }, ['segment']],
    ['an unknown platform', { platforms: ['fax'] }, ['platforms.0']],
    ['an unknown field', { cor: 'azul' }, ['cor']],
  ])('that is previewed with %s is refused with 400, since the preview documents no 422', async (_, fields, errors) => {
    const { client } = await shop();
    expectProblem(await client.post('/v2/push/preview', { platforms: ['ios'], ...fields }), 400, { errors });
  });

  test('without an Idempotency-Key is refused: 400', async () => {
    const { client } = await shop();
    expectProblem(await client.post('/v2/push/messages', aPush), 400);
  });

  test('is created once per key: the same body is replayed, another one is 409', async () => {
    const { client, register } = await shop();
    await register('device-1');
    const first = await send(client, {}, 'key-1');
    expect(await send(client, {}, 'key-1')).toMatchObject({ status: 201, body: { id: first.body.id, replayed: true } });
    expectProblem(await send(client, { title: 'Outro' }, 'key-1'), 409);
    await ended(client, first.body.id);
    expect((await send(client, {}, 'key-1')).body).toEqual({ ...first.body, replayed: true });
    expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING - 10 });
  });

  test.each([
    [{}, 'simple', 10],
    [{ imageUrl: 'https://cdn.loja.example/a.png' }, 'rich', 15],
    [{ actions: [{ label: 'Ver' }] }, 'rich', 15],
    [{ silent: true }, 'silent', 5],
  ])('with %o costs as %s, as its preview says', async (fields, rateKind, each) => {
    const { client, register } = await shop();
    await register('device-1');
    await register('device-2');
    const preview = await client.post('/v2/push/preview', { platforms: ['ios'], ...fields });
    const price = { coins: 2 * each, coinsEach: each };
    expect(preview).toMatchObject({ status: 200, body: { reach: 2, rateKind, price, charged: true } });
    expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
    expect((await send(client, fields)).body).toMatchObject({ rateKind, billing: { coins: 2 * each } });
  });

  test('that the wallet does not cover is refused as a whole: 402', async () => {
    const { tenant, register } = await shop();
    const live = tenant.live;
    const appId = (await live.post('/v2/push/apps', { name: 'Loja' })).body.id;
    for (const token of ['a', 'b']) await live.post('/v2/push/tokens', { appId, token, platform: 'android' });
    await messaging.credit('live', tenant.id, 19);
    expectProblem(await send(live), 402);
    expect(await wallet(live)).toMatchObject({ balanceCoins: 19, heldCoins: 0 });
    expect((await live.get('/v2/push/messages')).body).toEqual({ items: [] });
    expect((await register('c')).status).toBe(200);
  });

  test('is sent at its time, and deferred to the end of quiet hours (quietDeferredTo) as soon as they are set', async () => {
    const { client, register } = await shop();
    await register('device-1');
    const quiet = { inicio: '00:00', fim: '23:59', timeZone: 'America/Sao_Paulo', channels: ['push'] };
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const later = await send(client, { scheduledAt });
    expect(later.body).toMatchObject({ status: 'queued', scheduledAt });
    expect(later.body.quietDeferredTo).toBeUndefined();
    expect((await client.call('PUT', '/v2/organizations/me/quiet-hours', { body: quiet })).status).toBe(200);
    expect((await send(client)).body.quietDeferredTo).toMatch(/T02:59:00\.000Z$/);
    expect((await client.get(`/v2/push/messages/${later.body.id}`)).body.status).toBe('queued');
  });
});

describe('an open', () => {
  test('counts once, in metrics and breakdown, and does not change the bill', async () => {
    const { client, register } = await shop();
    await register('device-1');
    await register('device-2', { platform: 'android' });
    const { id } = (await send(client)).body;
    await ended(client, id);
    const [dispatch] = await dispatchesOf(client, id);
    const path = `/v2/push/dispatches/${dispatch.dispatchId}/opened`;
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.call('POST', path)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(answers.filter(({ body }) => body.counted)).toHaveLength(1);
    const { body } = await client.get(`/v2/push/messages/${id}`);
    expect(body).toMatchObject({ metrics: { delivered: 2, opened: 1 }, billing: { chargedCoins: 20 } });
    expect(body.breakdown[dispatch.platform].opened).toBe(1);
    expect((await dispatchesOf(client, id))[0].openedAt).toEqual(expect.any(String));
    for (const absent of [`dsp_${'0'.repeat(21)}`, 'nonsense', id])
      expectProblem(await client.call('POST', `/v2/push/dispatches/${absent}/opened`), 404);
  });

  test('of a device that the push service refused is not counted', async () => {
    const { client, register } = await shop();
    await register('device-0018');
    await register('device-1');
    const { id } = (await send(client)).body;
    await ended(client, id);
    for (const { dispatchId, status } of await dispatchesOf(client, id)) {
      const { body } = await client.call('POST', `/v2/push/dispatches/${dispatchId}/opened`);
      expect(body).toEqual({ dispatchId, counted: status === 'delivered' });
    }
    const { metrics } = (await client.get(`/v2/push/messages/${id}`)).body;
    expect(metrics).toEqual({ reach: 2, delivered: 1, opened: 1, failures: 1 });
    const failed = (await dispatchesOf(client, id)).find(({ status }: { status: string }) => status === 'failed');
    expect(failed).not.toHaveProperty('openedAt');
  });
});

describe('the list', () => {
  test('pages by cursor, newest first, and filters by status, origin and time', async () => {
    const { client, register } = await shop();
    const ids: string[] = [];
    for (let at = 0; at < 3; at++) ids.unshift((await send(client)).body.id);
    const first = await client.get('/v2/push/messages', { limit: 2 });
    const second = await client.get('/v2/push/messages', { limit: 2, cursor: first.body.nextCursor });
    expect(idsOf([...first.body.items, ...second.body.items])).toEqual(ids);
    expect(second.body.nextCursor).toBeUndefined();
    await register('device-1');
    const scheduledAt = new Date(Date.now() + 3_600_000).toISOString();
    const queued = (await send(client, { scheduledAt })).body;
    const found = async (query: string) => idsOf((await client.get(`/v2/push/messages?${query}`)).body.items);
    expect(await found('status=queued')).toEqual([queued.id]);
    expect(await found('status=queued&status=sent')).toEqual([queued.id, ...ids]);
    expect(await found('status=failed&status=sending')).toEqual([]);
    expect(await found('origin=api&origin=composer')).toEqual([queued.id, ...ids]);
    expect(await found('status=queued&status=queued&status=queued&status=queued&status=queued')).toEqual([queued.id]);
    const half = (await client.get('/v2/push/messages?status=sent&status=queued&limit=2')).body;
    const rest = await found(`status=queued&status=sent&limit=50&cursor=${half.nextCursor}`);
    expect([...idsOf(half.items), ...rest]).toEqual([queued.id, ...ids]);
    expect(await found('origin=automation')).toEqual([]);
    expect(await found(`from=${queued.createdAt}`)).toEqual([queued.id]);
    expect(await found('to=2020-01-01T00:00:00Z')).toEqual([]);
    for (const bad of ['status=delivered', 'origin=x', 'from=yesterday', 'limit=201'])
      expectProblem(await client.get(`/v2/push/messages?${bad}`), 422);
    expectProblem(await client.get('/v2/push/messages', { cursor: 'x' }), 400);
    expectProblem(await client.get('/v2/push/messages', { status: 'sent', cursor: first.body.nextCursor }), 400);
  });

  test("of a message's devices pages through all of them once", async () => {
    const { client, register } = await shop();
    const registered: string[] = [];
    for (let at = 0; at < 12; at++) registered.push((await register(`device-${at}`)).body.id);
    const [{ id }, other] = [(await send(client)).body, (await send(client)).body];
    const pages = await pagesOf(async (cursor) => {
      if (cursor) expectProblem(await client.get(`/v2/push/messages/${other.id}/dispatches`, { cursor }), 400);
      const page = await client.get(`/v2/push/messages/${id}/dispatches`, { limit: 5, ...(cursor ? { cursor } : {}) });
      expect(page.status).toBe(200);
      return page.body;
    });
    const found: string[] = pages.flatMap(({ items }) => items.map(({ tokenId }: { tokenId: string }) => tokenId));
    expect(found.toSorted()).toEqual(registered.toSorted());
    expectProblem(await client.get(`/v2/push/messages/${id}/dispatches`, { cursor: 'x' }), 400);
  });
});

test('a key without the scope can neither send nor read', async () => {
  const { client } = await shop();
  const [reader, sender] = [
    await messaging.limited(client, ['push:read']),
    await messaging.limited(client, ['push:send']),
  ];
  expectProblem(await send(apiClient(messaging.url, reader.key)), 403);
  expectProblem(await sender.get('/v2/push/messages'), 403);
});
