import { describe, expect, test } from 'vitest';
import { dispatchesOf, ended, shopOf, wallet } from '../push/flow.ts';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, keyed } from './support.ts';

const messaging = await sharedMessaging();
const WAIT = { timeout: 60_000, interval: 150 };
const EACH = 10;
const OPENING = 10_000_000;

/** A shop with a person who has a phone, a tablet, a phone that opted out, and a device whose token is dead. */
const personOf = async () => {
  const shop = await shopOf(messaging);
  const { client, register } = shop;
  const contactId: string = (await client.post('/contacts', { phone: '+5511988887777', name: 'Ana' })).body.id;
  const own = { contactId, externalId: 'loja:42' };
  await register('phone-0005', own);
  await register('tablet-0005', { ...own, platform: 'android' });
  await register('dead-0008', own);
  await register('out-0005', { ...own, optedIn: false });
  await register('stranger-0005', { externalId: 'loja:43' });
  const push = (fields: object = {}, key?: string) =>
    client.post('/v1/messages', { channel: 'push', to: 'loja:42', text: 'Oi', ...fields }, keyed(key));
  return { ...shop, contactId, push };
};

describe('a push to a person', () => {
  test('by externalId, by contact and by contactId of POST /messages reaches each opted-in device once', async () => {
    const { client, contactId, push, tenant } = await personOf();
    const byMessages = () =>
      client.post('/messages', { channel: 'push', contactId, type: 'text', payload: { text: 'Oi' } }, keyed());
    // The first push retires the dead device: the others reach two.
    const reaches = [3, 2, 2];
    for (const [at, send] of [() => push(), () => push({ to: contactId }), byMessages].entries()) {
      const { status, body } = await send();
      expect(status, JSON.stringify(body)).toBeLessThan(300);
      const read = await ended(client, body.id);
      expect(read.metrics).toMatchObject({ reach: reaches[at], delivered: 2 });
      expect(read.billing).toEqual({ coins: (reaches[at] ?? 0) * EACH, chargedCoins: 2 * EACH });
    }
    expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING - 3 * 2 * EACH, heldCoins: 0 });
    await checkMoney(messaging.tables.test, tenant.id);
  });

  test('is one message with one id: read, listed and opened as every push, with a timeline', async () => {
    const { client, contactId, push } = await personOf();
    const { id } = (await push({ to: contactId })).body;
    await ended(client, id);
    expect((await client.get(`/messages/${id}`)).body).toMatchObject({
      id,
      channel: 'push',
      status: 'sent',
      contactId,
    });
    for (const path of ['/v2/push/messages', '/messages'])
      expect((await client.get(path)).body.items.map((item: { id: string }) => item.id)).toContain(id);
    const { items } = (await client.get(`/messages/${id}/timeline`)).body;
    expect(items).toContainEqual(
      expect.objectContaining({ kind: 'provider', detail: 'push services accepted 2 of 3 devices', coins: 2 * EACH }),
    );
    const dispatches = await dispatchesOf(client, id);
    expect(dispatches).toHaveLength(3);
    const delivered = dispatches.find(({ status }: { status: string }) => status === 'delivered');
    const opened = () => client.post(`/v2/push/dispatches/${delivered.dispatchId}/opened`, {});
    const before = new Date().toISOString();
    expect((await opened()).body.counted).toBe(true);
    const { lastInteractionAt } = (await client.get(`/contacts/${contactId}`)).body;
    expect(lastInteractionAt >= before).toBe(true);
    expect((await opened()).body.counted).toBe(false);
    expect((await ended(client, id)).metrics.opened).toBe(1);
    expect((await client.get(`/contacts/${contactId}`)).body.lastInteractionAt).toBe(lastInteractionAt);
  });

  test('costs in the preview what the send holds, and the same request is the same message', async () => {
    const { client, push } = await personOf();
    const body = { channel: 'push', to: 'loja:42', text: 'Oi' };
    const preview = await client.post('/v1/messages/preview', body);
    expect(preview.body.hops[0]).toMatchObject({ units: 3, price: { coins: 3 * EACH } });
    const sent = await push({}, 'one');
    expect(sent.body.price).toEqual({ coins: 3 * EACH });
    await ended(client, sent.body.id);
    expect((await push({}, 'one')).body).toMatchObject({ id: sent.body.id, replayed: true, price: sent.body.price });
    expect((await push({ text: 'Olá' }, 'one')).status).toBe(409);
  });

  test('without a matching device, token, externalId or contact, or after an opt-out, is refused with 422', async () => {
    const { client, register, push } = await personOf();
    for (const to of ['loja:44', `ptk_${'0'.repeat(21)}`, `cnt_${'0'.repeat(21)}`])
      expectProblem(await push({ to }), 422, { errors: ['to'] });
    await register('alone-0005', { externalId: 'loja:45', optedIn: false });
    const refused = await push({ to: 'loja:45' });
    expectProblem(refused, 422, { errors: ['to'] });
    expect(refused.body.meta).toMatchObject({ motivo: 'opt_out' });
    const denied = await client.post('/contacts', { phone: '+5511988886666', optIn: { status: 'denied' } });
    await register('denied-0005', { contactId: denied.body.id });
    expectProblem(await push({ to: denied.body.id }), 422, { errors: ['to'] });
    expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
  });

  test('is cancelled and resent like every message', async () => {
    const { client, push, tenant } = await personOf();
    const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
    const first = (await push({ scheduledAt })).body.id;
    const again = await client.post(`/messages/${first}/resend`, { payload: { text: 'De novo' } });
    expect(again.status).toBe(201);
    expect(await ended(client, again.body.id)).toMatchObject({ body: 'De novo', metrics: { delivered: 2 } });
    const second = (await push({ scheduledAt })).body.id;
    expect((await client.post(`/messages/${second}/cancel`, {})).status).toBe(200);
    expect(await ended(client, second)).toMatchObject({ status: 'failed', billing: { chargedCoins: 0 } });
    expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING - 2 * EACH, heldCoins: 0 });
    await checkMoney(messaging.tables.test, tenant.id);
  });
});

test('a send to an audience is a message too: if cancelled before it is sent, it calls no provider and costs nothing', async () => {
  const { client } = await personOf();
  const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
  const body = { title: 'Oi', body: 'Oi', platforms: ['ios', 'android'], scheduledAt };
  const { id } = (await client.post('/v2/push/messages', body, keyed())).body;
  expect((await client.get(`/messages/${id}`)).body).toMatchObject({
    id,
    to: 'all_opt_in',
    status: 'queued',
    scheduledAt,
  });
  expect((await client.get('/messages')).body.total).toBe(1);
  expect((await client.post(`/messages/${id}/cancel`, {})).status).toBe(200);
  expect(await wallet(client)).toMatchObject({ balanceCoins: OPENING, heldCoins: 0 });
  const { items } = (await client.get(`/messages/${id}/timeline`)).body;
  const kinds = items.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(expect.arrayContaining(['hold', 'operator']));
  expect(kinds).not.toContain('provider');
});

test('a push is a step of a fallback to its contact, and each of a bulk is its own message', async () => {
  const { client, contactId, register, tenant } = await personOf();
  const fails = {
    channel: 'sms',
    to: '+5511999990006',
    text: 'Oi',
    contactId,
    fallback: ['push'],
    fallback_after: '2h',
  };
  const sent = await client.post('/v1/messages', fails, keyed());
  expect(sent.body.fallback).toEqual([{ channel: 'push', after: '7200s', price: { coins: 3 * EACH } }]);
  await becomes(client, `/messages/${sent.body.id}`, { status: 'failed' }, WAIT);
  await expect.poll(async () => (await client.get('/v2/push/messages')).body.items.length, WAIT).toBe(1);
  const [step] = (await client.get('/v2/push/messages')).body.items;
  expect((await ended(client, step.id)).metrics).toMatchObject({ reach: 3, delivered: 2 });
  // A token that dies within the bulk: only a part of its message's price is captured of the chunk's hold.
  await register('late-0008', { externalId: 'loja:42' });
  const messages = [
    { channel: 'push', to: 'loja:42', text: 'Oi' },
    { channel: 'push', to: 'dead-0008', text: 'Oi' },
    { channel: 'push', to: 'loja:43', text: 'Oi', idempotencyKey: 'a' },
  ];
  const bulk = await client.post('/v1/messages/bulk', { mode: 'permissive', messages }, keyed());
  expect(bulk.body).toMatchObject({ accepted: 2, rejected: 1, errors: [{ index: 1, code: 'invalid_recipient' }] });
  const counts = () =>
    client.get(`/v1/messages/bulk/${bulk.body.batchId}`).then((answer) => JSON.stringify(answer.body));
  await expect.poll(counts, WAIT).toContain('"sent":2');
  await expect.poll(() => wallet(client), WAIT).toMatchObject({ heldCoins: 0 });
  await expect.poll(() => checkMoney(messaging.tables.test, tenant.id).then(() => true, String), WAIT).toBe(true);
});

test('a push ends its fallback once a device accepted it, and takes the next step immediately if none did', async () => {
  const { client, register } = await personOf();
  const of = (to: string) => ({
    channel: 'push',
    to,
    text: 'Oi',
    fallback: [{ channel: 'sms', to: '+5511999990005' }],
  });
  const taken = (await client.post('/v1/messages', { ...of('loja:43'), fallback_after: '2h' }, keyed())).body.id;
  await register('gone-0006', { externalId: 'loja:46' });
  const failed = (await client.post('/v1/messages', { ...of('loja:46'), fallback_after: '2h' }, keyed())).body.id;
  await becomes(client, `/messages/${failed}`, { status: 'failed', reason: 'invalid_recipient' }, WAIT);
  const steps = async () => (await client.get('/v2/sms/messages')).body.items;
  await expect.poll(async () => (await steps()).length, WAIT).toBe(1);
  await becomes(client, `/messages/${taken}`, { status: 'sent' }, WAIT);
  // Its fallback is over: nothing of it is due any more, at whatever time.
  const fallback = async () => messaging.tables.test.get({ pk: `MSG#${taken}`, sk: 'CHAIN' });
  await expect.poll(fallback, WAIT).not.toHaveProperty('dueAt');
  expect(await fallback()).toMatchObject({ pk: `MSG#${taken}` });
  expect(await fallback()).not.toHaveProperty('steps');
  expect(await steps()).toHaveLength(1);
});
