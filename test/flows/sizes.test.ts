import { describe, expect, test, vi } from 'vitest';
import { MAX_STORED_BYTES } from '../../shared/domain/sending/size.ts';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { keyed } from './support.ts';

const messaging = await sharedMessaging();
const SMS = '+5511999990099';
const MAIL = 'ana@example.com';

/** `count` variables of `length` characters, each of two bytes. */
const variables = (count: number, length: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`v${at}`, 'é'.repeat(length)]));
const mail = (count: number, length: number) => ({
  channel: 'email',
  to: MAIL,
  template,
  variables: variables(count, length),
});
const small = { channel: 'sms', to: SMS, text: 'Oi' };

const tenant = await messaging.tenant();
const made = await tenant.test.post('/v2/email/templates', {
  name: 'Pedido',
  subject: 'Pedido',
  source: `<p>${Array.from({ length: 100 }, (_, at) => `{{v${at}}}`).join('')}</p>`,
  variables: Array.from({ length: 100 }, (_, at) => ({ name: `v${at}` })),
});
expect(made.status).toBe(201);
const template = made.body.id;

describe('the largest content that the contract allows', { timeout: 180_000 }, () => {
  const post = (path: string, body: object) => tenant.test.post(path, body, keyed(undefined));

  test('of one send is accepted, and what is larger is 422 and names its field', async () => {
    const most = Math.floor(MAX_STORED_BYTES / 2 / 100 / 2) - 100;
    expect(await post('/v1/messages', mail(100, most))).toMatchObject({ status: 202 });
    expect(await post('/v1/messages', mail(100, 4_096))).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', errors: [{ path: 'variables' }] },
    });
    expect(await post('/v1/messages/preview', mail(100, 4_096))).toMatchObject({ status: 200 });
  });

  test('of fallbacks is accepted, and what is larger is 422 and names them', async () => {
    const withFallbacks = (length: number) => ({ ...small, fallback: [mail(20, length), mail(20, length)] });
    expect(await post('/v1/messages', withFallbacks(1_000))).toMatchObject({ status: 202 });
    expect(await post('/v1/messages', withFallbacks(4_096))).toMatchObject({
      status: 422,
      body: { errors: [{ path: 'fallback' }] },
    });
  });

  test('of a batch is accepted: its transactions are divided by bytes, too', async () => {
    const batch = (messages: readonly object[], mode = 'permissive') => post('/v1/messages/bulk', { mode, messages });
    expect(await batch(Array(50).fill(mail(25, 2_000)))).toMatchObject({ status: 202, body: { accepted: 50 } });
    expect(await batch(Array(50).fill(mail(25, 2_000)), 'strict')).toMatchObject({
      status: 202,
      body: { accepted: 50 },
    });
    const one = [...Array(10).fill(small), mail(100, 4_000)];
    expect(await batch(one)).toMatchObject({
      status: 202,
      body: { accepted: 10, rejected: 1, errors: [{ index: 10 }] },
    });
    expect(await batch(one, 'strict')).toMatchObject({ status: 422 });
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), { timeout: 90_000, interval: 1_000 });
  });
});
