import { describe, expect, test, vi } from 'vitest';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, move, people, WAIT } from './campaigns-kit.ts';
import { setQuietHours } from './support.ts';

const messaging = await sharedMessaging();
const SMS = 800;

describe('a campaign that is cancelled', { timeout: 180_000 }, () => {
  test('sends no fallback that waits, and nothing that was resent, and gives back what they hold', async () => {
    const tenant = await messaging.tenant();
    await setQuietHours(tenant.test, ['email']);
    const ids = await people(tenant, ['0008', '0008'], { email: 'success@simulator.amazonses.com' });
    const { id } = await create(tenant, {
      audience: { contactIds: ids },
      message: {
        channel: 'sms',
        text: 'Oi',
        fallback: [{ channel: 'email', text: 'Oi', variables: { subject: 'Oi' } }],
        fallback_after: '10s',
      },
    });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { progress: { sent: 2, failed: 2, queued: 2 } });
    const waiting = async () => (await tenant.test.get('/messages', { campaignId: id, status: 'queued' })).body.items;
    const [resent] = await waiting();
    expect(
      (await tenant.test.post(`/messages/${resent.id}/resend`, { payload: { email: { subject: 'Oi', text: 'Oi' } } }))
        .status,
    ).toBe(201);
    expect((await move(tenant, id, 'cancel')).status).toBe('cancelled');
    await becomes(tenant, id, { progress: { queued: 0, sent: 2 }, coins: { held: 0, captured: 2 * SMS } });
    expect(await waiting()).toEqual([]);
    expect((await tenant.test.get('/v2/wallet')).body.heldCoins).toBe(0);
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });
});

describe('a campaign', { timeout: 180_000 }, () => {
  test('is completed when each message has a final status, even if one was resent before it was sent and another failed', async () => {
    const tenant = await messaging.tenant();
    await setQuietHours(tenant.test, ['sms']);
    const ids = await people(tenant, ['0005', '0008']);
    const { id } = await create(tenant, { audience: { contactIds: ids } });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { progress: { queued: 2 } });
    const { items } = (await tenant.test.get('/messages', { campaignId: id })).body;
    const [resent, other] = items.map((one: { id: string }) => one.id);
    const { body } = await tenant.test.post(`/messages/${resent}/resend`, {});
    for (const each of [other, body.id])
      expect((await tenant.test.post(`/messages/${each}/force`, {})).status).toBe(202);
    await becomes(tenant, id, { status: 'completed', progress: { sent: 2, delivered: 1, failed: 1, queued: 0 } });
  });
});
