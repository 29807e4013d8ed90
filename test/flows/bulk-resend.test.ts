import { describe, expect, test, vi } from 'vitest';
import { aPush } from '../push/flow.ts';
import type { Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, idsOf, keyed, optedOut, registerDevice } from './support.ts';

const SMS = 800;
const WAIT = { timeout: 60_000, interval: 300 };
const DELIVERED = '+5511999990005';
const FAILED = '+5511999990008';

const messaging = await sharedMessaging();

const sms = (to = FAILED) => ({ channel: 'sms', to, text: 'Seu pedido saiu para entrega.' });
const correction = { to: DELIVERED };
type Headers = Readonly<Record<string, string>>;
const resend = (of: Tenant, body: unknown, headers: Headers = {}) =>
  of.test.post('/v1/messages/bulk-resend', body, headers);
const batchOf = async (of: Tenant, batchId: string) => (await of.test.get(`/v1/messages/bulk/${batchId}`)).body;
const window = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 600_000).toISOString(),
});

/** Sends messages that fail, and waits until they have. */
const fail = async (tenant: Tenant, count: number): Promise<string[]> => {
  const messages = Array.from({ length: count }, () => sms());
  const { batchId } = (await tenant.test.post('/v1/messages/bulk', { messages, mode: 'permissive' })).body;
  await vi.waitFor(async () => expect((await batchOf(tenant, batchId)).counts.failed).toBe(count), WAIT);
  return idsOf((await tenant.test.get('/messages', { batchId, limit: 200 })).body.items);
};
/** An organization with failed messages, and the coins that it has spent since. */
const customer = async (count: number) => {
  const tenant = await messaging.tenant();
  const ids = await fail(tenant, count);
  const opening = await balanceOf(tenant.test);
  return {
    tenant,
    items: ids.map((id) => ({ id, correction })),
    spent: async () => opening - (await balanceOf(tenant.test)),
  };
};

describe.concurrent('a bulk resend with an Idempotency-Key', { timeout: 180_000 }, () => {
  test('by ids is answered with the first batch when it is repeated, and is charged once', async () => {
    const { tenant, items, spent } = await customer(3);
    const key = keyed('again');
    const first = await resend(tenant, { items }, key);
    expect(first).toMatchObject({ status: 202, body: { total: 3, accepted: 3, rejected: 0 } });
    expect(await resend(tenant, { items }, key)).toMatchObject({ status: 202, body: first.body });
    expect((await resend(tenant, { items }, key)).body).toEqual(first.body);
    expect(await spent()).toBe(3 * SMS);
    const { batchId } = first.body;
    await vi.waitFor(async () => expect((await batchOf(tenant, batchId)).counts.delivered).toBe(3), WAIT);
    expect(await batchOf(tenant, batchId)).toMatchObject({ total: 3, accepted: 3, rejected: 0 });
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });

  test('by filter keeps what the first call selected: a repeat has its answer, and resends nothing that failed since', async () => {
    const { tenant, spent } = await customer(3);
    const key = keyed('again');
    const filter = { status: 'failed', ...window() };
    const first = await resend(tenant, { filter, correction }, key);
    expect(first).toMatchObject({ status: 202, body: { total: 3, accepted: 3, rejected: 0 } });
    await fail(tenant, 2);
    const before = await spent();
    expect((await resend(tenant, { filter, correction }, key)).body).toEqual(first.body);
    expect(await spent()).toBe(before);
    expect((await resend(tenant, { filter, correction }, keyed('next'))).body).toMatchObject({ total: 2, accepted: 2 });
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });

  test('is 409 with another body under the key, and resends nothing of it', async () => {
    const { tenant, items, spent } = await customer(3);
    const key = keyed('again');
    expect((await resend(tenant, { items: items.slice(0, 1) }, key)).status).toBe(202);
    const others = [
      { items },
      { items: items.slice(0, 1).map(({ id }) => ({ id })) },
      { filter: { status: 'failed', ...window() }, correction },
    ];
    for (const body of others)
      expect(await resend(tenant, body, key)).toMatchObject({
        status: 409,
        body: {
          code: 'conflict',
          detail: 'This Idempotency-Key was used with another body.',
        },
      });
    expect(await spent()).toBe(SMS);
  });

  test('is 409 under the key of another operation, as another operation is under its key', async () => {
    const { tenant, items, spent } = await customer(1);
    const [sent, resent] = [keyed('sent'), keyed('resent')];
    expect((await tenant.test.post('/v1/messages', sms(DELIVERED), sent)).status).toBe(202);
    expect(await resend(tenant, { items }, sent)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect((await resend(tenant, { items }, resent)).body.accepted).toBe(1);
    const bulk = { messages: [sms(DELIVERED)], mode: 'permissive' };
    await registerDevice(tenant.test, 'device-1');
    for (const answer of [
      await tenant.test.post('/v1/messages', sms(DELIVERED), resent),
      await tenant.test.post(`/messages/${items[0]?.id}/resend`, {}, resent),
      await tenant.test.post('/v1/messages/bulk', bulk, resent),
      await tenant.test.post('/v2/push/messages', aPush, resent),
    ])
      expect(answer.status).toBe(409);
    const named = { ...bulk, messages: [{ ...sms(DELIVERED), idempotencyKey: resent['idempotency-key'] }] };
    expect((await tenant.test.post('/v1/messages/bulk', named)).body.errors).toMatchObject([{ code: 'conflict' }]);
    expect(await spent()).toBe(2 * SMS);
  });

  test('that is sent several times concurrently is one batch, and is charged once', async () => {
    const { tenant, items, spent } = await customer(10);
    const answers = await Promise.all([1, 2, 3, 4].map(() => resend(tenant, { items }, keyed('again'))));
    for (const { status, body } of answers)
      expect({ status, body }).toEqual({ status: 202, body: { ...answers[0]?.body, accepted: 10, errors: [] } });
    expect(await spent()).toBe(10 * SMS);
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });

  test('checks what was refused again when it is repeated, and names what still is', async () => {
    const { tenant, items, spent } = await customer(2);
    const key = keyed('again');
    const lacking = { id: `msg_${'0'.repeat(21)}` };
    const body = { items: [...items, lacking] };
    const first = await resend(tenant, body, key);
    expect(first.body).toMatchObject({ total: 3, accepted: 2, rejected: 1, errors: [{ index: 2, code: 'not_found' }] });
    await optedOut(tenant.test, { phone: DELIVERED });
    expect((await resend(tenant, body, key)).body).toEqual(first.body);
    expect(await spent()).toBe(2 * SMS);
  });

  test('uses no key in a dry run', async () => {
    const { tenant } = await customer(2);
    const key = keyed('again');
    const filter = { status: 'failed', ...window() };
    const before = await messaging.rowsOf('test', tenant.id);
    expect((await resend(tenant, { filter, correction, dryRun: true }, key)).body).toMatchObject({ accepted: 2 });
    expect(await messaging.rowsOf('test', tenant.id)).toEqual(before);
    expect((await resend(tenant, { filter, correction }, key)).body).toMatchObject({ total: 2, accepted: 2 });
  });
});
