import { describe, expect, test } from 'vitest';
import { aPush } from '../push/flow.ts';
import type { Tenant } from '../support/api.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, keyed, optedOut, registerDevice } from './support.ts';

const SMS = 800;
const TO = '+5511999990005';
const OTHER = '+5511988887777';
const TEXT = 'Seu pedido saiu para entrega.';

const messaging = await sharedMessaging();

const sms = (fields: Readonly<Record<string, unknown>> = {}) => ({ channel: 'sms', to: TO, text: TEXT, ...fields });
const own = (...keys: readonly string[]) => keys.map((idempotencyKey) => sms({ idempotencyKey }));
const key = keyed('batch-1');
const bulk = (of: Tenant, messages: readonly unknown[], mode = 'permissive', headers: object = key) =>
  of.test.post('/v1/messages/bulk', { messages, mode }, { ...headers });
const batchOf = async (of: Tenant, batchId: string) => (await of.test.get(`/v1/messages/bulk/${batchId}`)).body;
const CONFLICT = {
  status: 409,
  body: { detail: 'This Idempotency-Key was used with another body.' },
};

/** An organization, and the coins that it has spent so far. */
const customer = async () => {
  const tenant = await messaging.tenant();
  const opening = await balanceOf(tenant.test);
  return { tenant, spent: async () => opening - (await balanceOf(tenant.test)) };
};

/** Every other operation that takes a key. */
const OPERATIONS: Readonly<Record<string, (queuedId: string) => readonly [path: string, body: object]>> = {
  'an SMS': () => ['/v2/sms/messages', { to: TO, body: TEXT, route: 'premium' }],
  'an RCS message': () => ['/v2/rcs/messages', { to: TO, content: { text: TEXT }, route: 'easy_rcs' }],
  'an e-mail': () => [
    '/v2/email/messages',
    { to: 'ana@loja.example', from: 'ola@azul.example', subject: 'Seu pedido', text: TEXT },
  ],
  'a push message': () => ['/v2/push/messages', aPush],
  'a send of /v1': () => ['/v1/messages', sms()],
  'a send of every channel': () => ['/messages', { channel: 'sms', to: TO, type: 'text', payload: { text: TEXT } }],
  'a resend': (id) => [`/messages/${id}/resend`, {}],
  'a bulk resend': (id) => ['/v1/messages/bulk-resend', { items: [{ id }] }],
};

describe.concurrent("a bulk send's Idempotency-Key", { timeout: 180_000 }, () => {
  test.each([
    ['of its messages', [sms()]],
    ['beside the keys of its messages', own('own')],
  ])('%s is used for every other operation: 409, and nothing is charged', async (_, messages) => {
    const { tenant, spent } = await customer();
    await registerDevice(tenant.test, 'device-1');
    const later = { scheduledAt: new Date(Date.now() + 3_600_000).toISOString() };
    const queued = await tenant.test.post('/v1/messages', sms(later), keyed('queued'));
    expect((await bulk(tenant, messages)).status).toBe(202);
    const before = await spent();
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      const [path, body] = operation(queued.body.id);
      expect(await tenant.test.post(path, body, key), name).toMatchObject(CONFLICT);
    }
    const named = await bulk(tenant, own('batch-1'), 'permissive', {});
    expect(named.body).toMatchObject({ accepted: 0, errors: [{ index: 0, code: 'conflict' }] });
    expect(await spent()).toBe(before);
    expect(await bulk(tenant, messages)).toMatchObject({ status: 202, body: { accepted: 1, replayed: true } });
  });

  test('covers messages with keys of their own: another body or mode is 409, and sends nothing', async () => {
    const { tenant, spent } = await customer();
    const messages = [...own('a', 'b'), sms()];
    const first = await bulk(tenant, messages);
    expect(first.body).toMatchObject({ accepted: 3, replayed: false });
    for (const answer of [
      await bulk(tenant, own('a', 'b')),
      await bulk(tenant, own('c', 'd')),
      await bulk(tenant, [...messages, ...own('c')]),
      await bulk(tenant, messages, 'strict'),
    ])
      expect(answer).toMatchObject(CONFLICT);
    expect((await bulk(tenant, messages)).body).toEqual({ ...first.body, replayed: true });
    expect(await spent()).toBe(3 * SMS);
  });

  test('of messages that were all sent before has a batch of its own, which a repeat names', async () => {
    const { tenant, spent } = await customer();
    expect((await bulk(tenant, own('a', 'b'), 'permissive', {})).body.accepted).toBe(2);
    const first = await bulk(tenant, own('a', 'b'));
    expect(first.body).toMatchObject({ accepted: 2, replayed: false });
    expect((await bulk(tenant, own('a', 'b'))).body).toEqual({ ...first.body, replayed: true });
    expect(await bulk(tenant, own('c'))).toMatchObject(CONFLICT);
    expect(await spent()).toBe(2 * SMS);
  });

  test('names the batch that has the totals of the answer, also when a repeat accepted what was refused at first', async () => {
    const { tenant, spent } = await customer();
    const contact = await optedOut(tenant.test, { phone: OTHER });
    const messages = [sms(), sms({ to: OTHER })];
    const first = (await bulk(tenant, messages)).body;
    expect(first).toMatchObject({ accepted: 1, rejected: 1, replayed: false });
    expect((await bulk(tenant, messages)).body).toEqual({ ...first, replayed: true });
    expect((await tenant.test.post(`/contacts/${contact}/opt-in`, { source: 'site' })).status).toBe(200);
    const second = (await bulk(tenant, messages)).body;
    expect(second).toMatchObject({ accepted: 2, rejected: 0, replayed: false });
    for (let repeat = 0; repeat < 2; repeat++)
      expect((await bulk(tenant, messages)).body).toEqual({ ...second, replayed: true });
    expect(await batchOf(tenant, first.batchId)).toMatchObject({ total: 2, accepted: 1, rejected: 1 });
    expect(await batchOf(tenant, second.batchId)).toMatchObject({ total: 2, accepted: 2, rejected: 0 });
    expect(await spent()).toBe(2 * SMS);
  });

  test('is free for a corrected body when its strict batch was refused', async () => {
    const { tenant, spent } = await customer();
    await optedOut(tenant.test, { phone: OTHER });
    expect((await bulk(tenant, [sms(), sms({ to: OTHER })], 'strict')).status).toBe(422);
    expect((await bulk(tenant, [sms()], 'strict')).body).toMatchObject({ accepted: 1, replayed: false });
    expect(await spent()).toBe(SMS);
  });
});
