import { expect, test, vi } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { balanceOf } from './support.ts';

const MESSAGES = 5_000;
const SMS = 800;
const WAIT = { timeout: 60_000, interval: 500 };

const messaging = await use(startMessaging());

test('a bulk send of 5,000 messages is accepted with 202, and every one of them is held, queued and listed', {
  timeout: 180_000,
}, async () => {
  const tenant = await messaging.tenant();
  const opening = await balanceOf(tenant.test);
  // Scheduled, so that they can be counted where they stand.
  const scheduledAt = new Date(Date.now() + 24 * 3600_000).toISOString();
  const messages = Array.from({ length: MESSAGES }, (_, at) => ({
    channel: 'sms',
    to: '+5511999990005',
    text: `Pedido ${at}`,
    scheduledAt,
  }));
  const sent = await tenant.test.post('/v1/messages/bulk', { messages, mode: 'permissive' });
  expect(sent).toMatchObject({ status: 202, body: { total: MESSAGES, accepted: MESSAGES, rejected: 0, errors: [] } });
  const { counts } = (await tenant.test.get(`/v1/messages/bulk/${sent.body.batchId}`)).body;
  expect(counts).toMatchObject({ queued: MESSAGES });
  expect((await tenant.test.get('/v2/sms/messages', { limit: 1 })).body.total).toBe(MESSAGES);
  expect(await balanceOf(tenant.test)).toBe(opening - MESSAGES * SMS);
  await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
});
