import { describe, expect, test, vi } from 'vitest';
import type { Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { balanceOf, keyed } from './support.ts';

const SMS = 800;
const WAIT = { timeout: 60_000, interval: 300 };
const MODES = ['permissive', 'strict'] as const;

const messaging = await sharedMessaging();

const sms = (fields: Readonly<Record<string, unknown>> = {}) => ({
  channel: 'sms',
  to: '+5511999990005',
  text: 'Seu pedido saiu para entrega.',
  ...fields,
});
const bulk = (of: Tenant, messages: readonly unknown[], key: Readonly<Record<string, string>>, mode = 'permissive') =>
  of.test.post('/v1/messages/bulk', { messages, mode }, key);
/** More than one chunk. */
const many = (count = 120) => Array.from({ length: count }, () => sms());

/** An organization, and the coins that it has spent so far. */
const customer = async () => {
  const tenant = await messaging.tenant();
  const opening = await balanceOf(tenant.test);
  return { tenant, spent: async () => opening - (await balanceOf(tenant.test)) };
};

describe.concurrent('a bulk send with an Idempotency-Key', { timeout: 180_000 }, () => {
  test.each(MODES)(
    'is answered with the first batch when it is repeated, %s, and is sent and charged once',
    async (mode) => {
      const { tenant, spent } = await customer();
      const key = keyed('batch-1');
      const first = await bulk(tenant, many(), key, mode);
      expect(first).toMatchObject({ status: 202, body: { accepted: 120, replayed: false } });
      const again = await bulk(tenant, many(), key, mode);
      expect(again).toMatchObject({ status: 202, body: { ...first.body, replayed: true } });
      expect(await spent()).toBe(120 * SMS);
      expect((await tenant.test.get('/v2/sms/messages', { limit: 1 })).body.total).toBe(120);
      await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
    },
  );

  test('names the same refusals again when it is repeated', async () => {
    const { tenant, spent } = await customer();
    const key = keyed('batch-1');
    const messages = [sms({ maxCoins: 1 }), sms(), sms({ to: '+55119' }), sms({ idempotencyKey: 'own' }), 'nothing'];
    const first = await bulk(tenant, messages, key);
    expect(first.body).toMatchObject({ accepted: 2, rejected: 3 });
    expect((await bulk(tenant, messages, key)).body).toEqual({ ...first.body, replayed: true });
    expect(await spent()).toBe(2 * SMS);
  });

  test.each(MODES)(
    'is 409 with another body under the key, or in the other mode, and sends nothing of it: %s',
    async (mode) => {
      const { tenant, spent } = await customer();
      const key = keyed('batch-1');
      const body = [sms(), sms()];
      expect((await bulk(tenant, body, key, mode)).status).toBe(202);
      const others = [
        bulk(tenant, [...body, sms()], key, mode),
        bulk(tenant, [sms(), sms({ text: 'Outro' })], key, mode),
        bulk(tenant, body, key, mode === 'strict' ? 'permissive' : 'strict'),
      ];
      for (const answer of await Promise.all(others))
        expect(answer).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(await spent()).toBe(2 * SMS);
    },
  );

  test('is 409 under a key that another operation used', async () => {
    const { tenant, spent } = await customer();
    const key = keyed('shared');
    expect((await tenant.test.post('/v1/messages', sms(), key)).status).toBe(202);
    expect(await bulk(tenant, [sms()], key)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await spent()).toBe(SMS);
  });

  test('that is sent several times concurrently is accepted once; the others get 409 or its response', async () => {
    const { tenant, spent } = await customer();
    const key = keyed('batch-1');
    const answers = await Promise.all([1, 2, 3].map(() => bulk(tenant, many(), key)));
    for (const { status, body } of answers) {
      if (status === 409) expect(body.meta).toMatchObject({ code: 'EM_ANDAMENTO' });
      else expect({ status, accepted: body.accepted }).toEqual({ status: 202, accepted: 120 });
    }
    expect(answers.some(({ status }) => status === 202)).toBe(true);
    expect(await spent()).toBe(120 * SMS);
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });

  test('that was partly refused for lack of balance accepts the rest when it is repeated with a credited wallet', async () => {
    const { tenant } = await customer();
    const key = keyed('batch-1');
    const long = Array.from({ length: 300 }, () => sms({ text: 'a'.repeat(152 * 60) }));
    const first = await bulk(tenant, long, key);
    expect(first.body.rejected).toBeGreaterThan(0);
    await messaging.credit('test', tenant.id, 300 * 60 * SMS);
    expect((await bulk(tenant, long, key)).body).toMatchObject({ accepted: 300, rejected: 0, replayed: false });
    expect((await tenant.test.get('/v2/sms/messages', { limit: 1 })).body.total).toBe(300);
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });

  test('of which a provider refused a message does not send that again when it is repeated', async () => {
    const { tenant, spent } = await customer();
    const messages = [sms({ to: '+5511999990114' }), sms()];
    const first = await bulk(tenant, messages, keyed('batch-1'));
    const isSent = async () =>
      expect((await tenant.test.get(`/v1/messages/bulk/${first.body.batchId}`)).body.counts).toMatchObject({
        failed: 1,
        delivered: 1,
      });
    await vi.waitFor(isSent, WAIT);
    const again = await bulk(tenant, messages, keyed('batch-1'));
    expect(again).toMatchObject({ status: 202, body: { ...first.body, replayed: true } });
    expect(await spent()).toBe(SMS);
  });

  test('is 400 with a key that is malformed', async () => {
    const { tenant } = await customer();
    expect((await bulk(tenant, [sms()], { 'Idempotency-Key': 'with space' })).status).toBe(400);
  });
});
