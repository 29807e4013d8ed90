import { describe, expect, test, vi } from 'vitest';
import { checkMoney } from '../support/money.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, message, move, people, recipientsOf, WAIT } from './campaigns-kit.ts';
import { setQuietHours } from './support.ts';

const messaging = await sharedMessaging();
const SMS = 800;
const TEN = Array.from({ length: 10 }, () => '0005');

describe('the money of a campaign', { timeout: 180_000 }, () => {
  test('pauses it at its maxCoins, to the coin, and resumed with more it continues with exactly the others', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, TEN);
    const { id } = await create(tenant, { audience: { contactIds: ids }, maxCoins: 4 * SMS + 100 });
    await move(tenant, id, 'start');
    await becomes(tenant, id, {
      status: 'paused',
      pausedBy: { reason: 'max_coins' },
      progress: { sent: 4, skipped: 0 },
    });
    expect(await recipientsOf(tenant, id, { status: 'pending' })).toHaveLength(6);
    expect((await move(tenant, id, 'resume', { maxCoins: 10 * SMS })).status).toBe('running');
    await becomes(tenant, id, {
      status: 'completed',
      progress: { total: 10, sent: 10 },
      coins: { captured: 10 * SMS },
    });
    expect((await tenant.test.get('/v2/sms/messages', { campaignId: id })).body.total).toBe(10);
    await checkMoney(messaging.tables.test, tenant.id);
  });

  test('of unsent messages is released when it is cancelled, and no further recipient is sent to', async () => {
    const tenant = await messaging.tenant();
    await setQuietHours(tenant.test, ['sms']);
    const ids = await people(tenant, TEN);
    const { balanceCoins } = (await tenant.test.get('/v2/wallet')).body;
    const { id } = await create(tenant, { audience: { contactIds: ids } });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'running', progress: { queued: 10 }, coins: { held: 10 * SMS } });
    expect((await move(tenant, id, 'cancel')).status).toBe('cancelled');
    await becomes(tenant, id, { progress: { total: 10, queued: 0, sent: 0 }, coins: { held: 0, captured: 0 } });
    expect((await tenant.test.get('/v2/wallet')).body.balanceCoins).toBe(balanceCoins);
    expect(await move(tenant, id, 'cancel')).toMatchObject({ status: 'cancelled' });
    await vi.waitFor(() => checkMoney(messaging.tables.test, tenant.id), WAIT);
  });
});

describe('a paused campaign', { timeout: 180_000 }, () => {
  test('sends no message until it is resumed', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, TEN);
    const { id } = await create(tenant, { audience: { contactIds: ids }, perMinute: 2 });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { progress: { sent: 2 } });
    const paused = await move(tenant, id, 'pause');
    expect(paused).toMatchObject({ status: 'paused', pausedBy: { reason: 'operator' } });
    expect(await move(tenant, id, 'pause')).toMatchObject({ pausedBy: paused.pausedBy });
    expect(await recipientsOf(tenant, id, { status: 'pending' })).toHaveLength(8);
    await move(tenant, id, 'resume');
    await becomes(tenant, id, { status: 'running', progress: { sent: 4 } });
    await move(tenant, id, 'cancel');
    await vi.waitFor(async () => {
      expect(await recipientsOf(tenant, id, { status: 'skipped' })).toHaveLength(6);
    }, WAIT);
    expect((await tenant.test.get('/v2/sms/messages', { campaignId: id })).body.total).toBe(4);
  });

  test('answers 409 to what its state does not allow', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const { id } = await create(tenant, { audience: { contactIds: ids }, message });
    const refused = async (operation: string) =>
      expect((await tenant.test.post(`/v2/campaigns/${id}/${operation}`, {})).status, operation).toBe(409);
    await refused('pause');
    await refused('resume');
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'completed' });
    for (const operation of ['start', 'pause', 'resume', 'cancel']) await refused(operation);
    expect((await tenant.test.call('PATCH', `/v2/campaigns/${id}`, { body: { name: 'Y' } })).status).toBe(409);
    expect((await tenant.test.call('DELETE', `/v2/campaigns/${id}`)).status).toBe(409);
  });
});
