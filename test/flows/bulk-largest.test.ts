import { expect, test, vi } from 'vitest';
import { startMessaging, UNHURRIED } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { use } from '../support/use.ts';
import { balanceOf } from './support.ts';

const MESSAGES = 5_000;
const SMS = 800;
/** How long a loaded machine may refuse it, in ms: each refusal takes up to 18 s. */
const PATIENCE_MS = 300_000;
const WAIT = { timeout: 60_000, interval: 500 };

const messaging = await use(startMessaging({ env: UNHURRIED }));

test('a bulk send of 5,000 messages is accepted with 202, and every one of them is held and queued', {
  timeout: 480_000,
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
  const send = async () => {
    const answer = await tenant.test.post('/v1/messages/bulk', { messages, mode: 'permissive' });
    // A machine that is too slow for it refuses the batch as a whole.
    if (answer.status !== 202) expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable' } });
    return answer;
  };
  const until = performance.now() + PATIENCE_MS;
  let sent = await send();
  while (sent.status !== 202 && performance.now() < until) sent = await send();
  expect(sent).toMatchObject({ status: 202, body: { total: MESSAGES, accepted: MESSAGES, rejected: 0, errors: [] } });
  const { counts } = (await tenant.test.get(`/v1/messages/bulk/${sent.body.batchId}`)).body;
  expect(counts).toMatchObject({ queued: MESSAGES });
  await vi.waitFor(async () => expect(await balanceOf(tenant.test)).toBe(opening - MESSAGES * SMS), WAIT);
  await checkMoney(messaging.tables.test, tenant.id, { quiet: false });
});
