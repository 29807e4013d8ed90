import { createHmac } from 'node:crypto';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, startMessaging, type Tenant } from '../support/api.ts';
import { PATIENCE } from '../support/patience.ts';
import { expectProblem } from '../support/problems.ts';
import { startMetaManagement } from '../support/providers/meta-management-stand-in.ts';
import { use } from '../support/use.ts';
import { setUpProvider } from './support.ts';

const TOKEN = 'EAAJ-segredo-do-numero';
const WABA = '555000111';
const SECRET = 'app-secret';
let owner: Tenant;
let client: Client;
const messaging = await use(startMessaging());
const meta = await use(startMetaManagement(TOKEN, WABA));

/** Makes phone number ids that are unique in this file. */
let taken = 0;
const phoneNumberId = (ending = '1000') => `77${String(++taken).padStart(6, '0')}${ending}`;
const connect = (fields: object = {}, by: Client = client) =>
  by.post('/numbers', { phoneNumberId: phoneNumberId(), wabaId: '102290129340398', accessToken: TOKEN, ...fields });
const patch = (path: string, body: object) => client.call('PATCH', path, { body });
const fresh = async () => {
  owner = await messaging.tenant();
  client = owner.test;
};
beforeAll(fresh);

describe('a number', () => {
  test('is connected with its data from Meta, read, listed and disconnected; its token is never shown', async () => {
    const made = await connect({ meta: { byo: true } });
    expect(made.status).toBe(201);
    expect(made.body).toEqual({
      id: expect.stringMatching(/^num_[0-9A-Za-z]{21}$/),
      organizationId: owner.id,
      phoneNumberId: made.body.phoneNumberId,
      wabaId: '102290129340398',
      displayPhone: expect.stringMatching(/^\+55119\d{8}$/),
      status: 'connected',
      qualityRating: 'green',
      messagingTier: 'unlimited',
      rateLimit: { perSecond: 1_000, perDay: 86_400_000 },
      meta: { verifiedName: 'Loja Azul', byo: true, nameStatus: 'approved', partnerRemovedAt: null },
      profile: { about: 'Loja Azul', vertical: 'RETAIL' },
      lastPlatformSyncAt: made.body.createdAt,
      createdAt: expect.any(String),
      updatedAt: made.body.createdAt,
    });
    const path = `/numbers/${made.body.id}`;
    expect((await client.get(path)).body).toEqual(made.body);
    expect((await client.get('/numbers')).body).toEqual({ items: [made.body], total: 1 });
    expect(JSON.stringify(await messaging.rowsOf('test', owner.id))).not.toContain(TOKEN);
    expect((await client.call('DELETE', path)).status).toBe(204);
    expectProblem(await client.get(path), 404);
    expectProblem(await client.call('DELETE', path), 404);
    expect((await client.get('/numbers')).body).toEqual({ items: [], total: 0 });
    expect((await messaging.rowsOf('test', owner.id)).filter(({ pk }) => /^(NUM|PHONEID)#/.test(pk))).toEqual([]);
  });

  test('belongs to one organization of a stage: otherwise 409, with the number’s id for its owner', async () => {
    const stranger = await messaging.tenant();
    const id = phoneNumberId();
    const made = (await connect({ phoneNumberId: id })).body;
    expectProblem(await connect({ phoneNumberId: id }), 409, { meta: { field: 'phoneNumberId', numberId: made.id } });
    expectProblem(await connect({ phoneNumberId: id }, stranger.test), 409, { meta: { field: 'phoneNumberId' } });
    expect((await stranger.test.get('/numbers')).body.total).toBe(0);
    expect((await client.call('DELETE', `/numbers/${made.id}`)).status).toBe(204);
    expect((await connect({ phoneNumberId: id }, stranger.test)).status).toBe(201);
  });

  test('connected 50 times concurrently is one number', async () => {
    await fresh();
    const id = phoneNumberId();
    const answers = await Promise.all(Array.from({ length: 50 }, () => connect({ phoneNumberId: id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)]);
    expect((await client.get('/numbers')).body.total).toBe(1);
  });

  test.each([
    ['a token that Meta refuses', { accessToken: 'invalid' }, 'accessToken'],
    ['a number that Meta does not know', { phoneNumberId: '1230404' }, 'phoneNumberId'],
    ['an invalid id', { phoneNumberId: '../me' }, 'phoneNumberId'],
    ['a token of two lines', { accessToken: 'a\r\nb' }, 'accessToken'],
    ['an unknown field', { displayPhone: '+5511999990000' }, 'displayPhone'],
  ])('is not connected with %s', async (_, fields, path) => {
    const answer = await connect(fields);
    expectProblem(answer, 422, { errors: [path] });
    expect(answer.text).not.toContain(TOKEN);
  });

  test('is not connected in live without a provider; the error names the missing setting', async () => {
    const answer = await connect({}, owner.live);
    expectProblem(answer, 502);
    expect(answer.body.detail).toContain('provider set --env live --channel whatsapp');
  });

  test('is listed newest first by status and quality, with exact totals', async () => {
    await fresh();
    for (const ending of ['0001', '0002', '0003', '1000', '0001'])
      await connect({ phoneNumberId: phoneNumberId(ending) });
    const list = async (query: Record<string, string | number>) => {
      const { body } = await client.get('/numbers', query);
      return [body.items.map((item: { phoneNumberId: string }) => item.phoneNumberId.slice(-4)), body.total];
    };
    await vi.waitFor(
      async () => expect(await list({})).toEqual([['0001', '1000', '0003', '0002', '0001'], 5]),
      PATIENCE,
    );
    expect(await list({ limit: 2, skip: 1 })).toEqual([['1000', '0003'], 5]);
    expect(await list({ qualityRating: 'yellow' })).toEqual([['0001', '0001'], 2]);
    expect(await list({ qualityRating: 'yellow', limit: 1, skip: 1 })).toEqual([['0001'], 2]);
    expect(await list({ status: 'flagged' })).toEqual([['0002'], 1]);
    expect(await list({ status: 'pending', qualityRating: 'unknown' })).toEqual([['0003'], 1]);
    expect(await list({ status: 'available' })).toEqual([[], 0]);
    for (const query of [{ status: 'gone' }, { limit: 201 }, { skip: -1 }, { q: 'x' }])
      expectProblem(await client.get('/numbers', query as Record<string, string>), 400);
  });

  test('can have a rate limit below that of its tier, and none above', async () => {
    await fresh();
    const { id } = (await connect({ phoneNumberId: phoneNumberId('0250') })).body;
    const path = `/numbers/${id}`;
    expect((await client.get(path)).body.rateLimit).toEqual({ perSecond: 1_000, perDay: 250 });
    const set = await patch(path, { rateLimit: { perSecond: 5 }, meta: { byo: true } });
    expect(set.body).toMatchObject({ rateLimit: { perSecond: 5, perDay: 250 }, meta: { byo: true } });
    expectProblem(await patch(path, { rateLimit: { perSecond: 5, perDay: 251 } }), 422, {
      errors: ['rateLimit.perDay'],
    });
    expectProblem(await patch(path, { rateLimit: { perSecond: 0 } }), 422, { errors: ['rateLimit.perSecond'] });
    const back = await patch(path, { rateLimit: { perSecond: null }, meta: { byo: null } });
    expect(back.body).toMatchObject({ rateLimit: { perSecond: 1_000, perDay: 250 } });
    expect(back.body.meta.byo).toBeUndefined();
    expectProblem(await patch(path, { accessToken: 'invalid' }), 422, { errors: ['accessToken'] });
    expect((await patch(path, { accessToken: 'another' })).status).toBe(200);
  });

  test('has a profile that is set at Meta, changed in part, and unchanged by a sync', async () => {
    const { id } = (await connect()).body;
    const path = `/numbers/${id}/profile`;
    expect((await client.get(path)).body).toEqual({ about: 'Loja Azul', vertical: 'RETAIL' });
    const wanted = { about: 'Moda azul', email: 'oi@loja.example', website: 'https://loja.example' };
    expect((await patch(path, wanted)).body).toEqual({ ...wanted, vertical: 'RETAIL' });
    expect((await patch(path, { email: null })).body).toEqual({
      about: 'Moda azul',
      website: 'https://loja.example',
      vertical: 'RETAIL',
    });
    const synced = await client.call('POST', `/numbers/${id}/sync`);
    expect(synced.status).toBe(200);
    expect(synced.body.profile).toEqual((await client.get(path)).body);
    expect(Date.parse(synced.body.lastPlatformSyncAt)).toBeGreaterThan(Date.parse(synced.body.createdAt));
    for (const [body, error] of [
      [{ about: 'x'.repeat(140) }, 'about'],
      [{ about: null }, 'about'],
      [{ email: 'no' }, 'email'],
      [{ website: 'javascript:alert(1)' }, 'website'],
      [{ profilePictureUrl: 'https://x.example/a.png' }, 'profilePictureUrl'],
    ] as const)
      expectProblem(await patch(path, body), 422, { errors: [error] });
  });

  test('is read only with numbers:read and changed only with numbers:write', async () => {
    const { id } = (await connect()).body;
    const reader = await messaging.limited(client, ['numbers:read']);
    expect((await reader.get(`/numbers/${id}/profile`)).status).toBe(200);
    expectProblem(await reader.call('POST', `/numbers/${id}/sync`), 403);
    const writer = await messaging.limited(client, ['numbers:write']);
    expectProblem(await writer.get('/numbers'), 403);
  });
});

/** A signed callback of Meta. */
const report = (field: string, value: object, time: number) => {
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: WABA, time, changes: [{ field, value }] }],
  });
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
  return fetch(`${messaging.url}/callbacks/whatsapp_cloud_api/events`, { method: 'POST', headers, body });
};

test('a live number is connected at Meta, whose reports change number, template and the price of its sends, once', async () => {
  const settings = { accessToken: 'operator', appSecret: SECRET, verifyToken: 'verify-me', baseUrl: meta.baseUrl };
  await setUpProvider(messaging, 'whatsapp', 'whatsapp_cloud_api', settings);
  await fresh();
  meta.addNumber('4400', { display_phone_number: '+55 11 98888-0000' });
  const { status, body: number } = await connect({ phoneNumberId: '4400', wabaId: WABA }, owner.live);
  expect(status).toBe(201);
  expect(meta.account.subscribed).toBe(true);
  expect(JSON.stringify(await messaging.rowsOf('live', owner.id))).not.toContain(TOKEN);

  const components = [{ type: 'BODY', payload: { text: 'Oi' } }];
  const draft = { name: 'ola', language: 'pt-BR', category: 'utility', components, numberId: number.id };
  const template = (await owner.live.post('/v2/templates', draft)).body;
  expect((await owner.live.call('POST', `/v2/templates/${template.id}/submit`)).body.status).toBe('pending');
  const [known] = [...meta.account.templates.values()];
  const verdict = {
    event: 'APPROVED',
    message_template_id: Number(known?.id),
    message_template_name: 'ola',
    message_template_language: 'pt_BR',
    reason: 'NONE',
  };
  const flagged = { display_phone_number: '5511988880000', event: 'FLAGGED', current_limit: 'TIER_1K' };
  for (let turn = 0; turn < 2; turn++) {
    expect((await report('message_template_status_update', verdict, 1_773_140_400)).status).toBe(200);
    expect((await report('phone_number_quality_update', flagged, 1_773_140_401)).status).toBe(200);
  }
  expect((await owner.live.get(`/v2/templates/${template.id}`)).body.status).toBe('approved');
  const price = async () => {
    const body = { channel: 'whatsapp', to: '+5511988880001', template: 'ola' };
    return (await owner.live.post('/v1/messages/preview', body)).body.hops[0].price;
  };
  expect(await price()).toEqual({ coins: 900 });
  const moved = { ...verdict, event: undefined, previous_category: 'UTILITY', new_category: 'MARKETING' };
  expect((await report('template_category_update', moved, 1_773_140_402)).status).toBe(200);
  expect((await owner.live.get(`/v2/templates/${template.id}`)).body.category).toBe('marketing');
  expect(await price()).toEqual({ coins: 4_500 });
  expect((await owner.live.get(`/numbers/${number.id}`)).body).toMatchObject({
    status: 'flagged',
    qualityRating: 'red',
    messagingTier: 'tier_1k',
    rateLimit: { perSecond: 80, perDay: 1_000 },
  });
  const types = (await messaging.eventsOf('live', owner.id)).map(({ type }) => type);
  expect(types.toSorted()).toEqual(['number.quality_changed', 'template.approved']);
  expect((await owner.test.get('/numbers')).body.total).toBe(0);
});
