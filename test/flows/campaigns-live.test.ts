import { describe, expect, test, vi } from 'vitest';
import { startMessaging, type Tenant } from '../support/api.ts';
import { checkMoney } from '../support/money.ts';
import { startInfobipStandIn } from '../support/providers/infobip-stand-in.ts';
import { deliver } from '../support/providers/stand-in.ts';
import { use } from '../support/use.ts';
import { becomes, create, eventsRaised, message, move, people, recipientsOf, WAIT } from './campaigns-kit.ts';
import { setUpProvider } from './support.ts';

const SMS = 800;
const messaging = await use(startMessaging());
const provider = await use(startInfobipStandIn());
await setUpProvider(messaging, 'sms', 'infobip', { ...provider.settings, logsLagMs: 1 });

/** An organization's live stage, as the helpers of campaigns take a tenant. */
const liveTenant = async (coins: number) => {
  const tenant = await messaging.tenant({ live: coins, takesEvents: true });
  return { ...tenant, test: tenant.live };
};
/** The acts on campaigns in the audit log, oldest first. */
const acts = async ({ test: client }: Tenant, object: string) =>
  (await client.get('/v2/audit', { object })).body.items.map(({ action }: { action: string }) => action).reverse();
const pausedFor = (tenant: Tenant, id: string, reason: string) =>
  becomes(tenant, id, { status: 'paused', pausedBy: { reason } });
const receipt = async (to: string) => {
  const [taken] = provider.messages.filter((each) => each.to === to);
  if (!taken) throw new Error(`nothing was sent to ${to}`);
  expect((await deliver(provider.receipt(taken, 'delivered'))).ok).toBe(true);
};

describe('a live campaign', { timeout: 180_000 }, () => {
  test('that the wallet partly covers is paused with one event, depletes the wallet, and continues after a credit, exact to the coin', async () => {
    const tenant = await liveTenant(3 * SMS + 100);
    const ids = await people(tenant, ['0005', '1005', '2005', '3005', '4005']);
    const phones = await Promise.all(ids.map(async (id) => (await tenant.test.get(`/contacts/${id}`)).body.phone));
    const { id } = await create(tenant, { audience: { contactIds: ids }, maxCoins: 5 * SMS });
    expect(await move(tenant, id, 'preview')).toMatchObject({ price: { coins: 5 * SMS }, enough: false });
    await move(tenant, id, 'start');
    await pausedFor(tenant, id, 'insufficient_funds');
    await becomes(tenant, id, { progress: { total: 5, sent: 3, skipped: 0 }, coins: { captured: 3 * SMS, held: 0 } });
    expect(await recipientsOf(tenant, id, { status: 'pending' })).toHaveLength(2);
    await messaging.credit('live', tenant.id, 2 * SMS);
    await move(tenant, id, 'resume');
    await becomes(tenant, id, { status: 'running', progress: { sent: 5 }, coins: { captured: 5 * SMS } });
    for (const phone of phones) await receipt(phone);
    await becomes(tenant, id, { status: 'completed', progress: { delivered: 5 } });
    expect(provider.messages.map(({ to }) => to).sort()).toEqual(phones.sort());
    expect((await tenant.test.get('/v2/wallet')).body).toMatchObject({ balanceCoins: 100, heldCoins: 0 });
    expect(
      (await eventsRaised(messaging, 'live', tenant, /^(campaign|wallet)\./)).filter(
        (each) => each !== 'wallet.low_balance',
      ),
    ).toEqual(['campaign.started', 'wallet.depleted', 'campaign.paused insufficient_funds', 'campaign.completed']);
    expect(await acts(tenant, id)).toEqual(['campaign.created', 'campaign.started', 'campaign.resumed']);
    await checkMoney(messaging.tables.live, tenant.id);
  });

  test.each([
    ['a channel without a provider', { channel: 'rcs', text: 'Oi' }, 'provider_unavailable'],
    ['a channel without a number of its own', { channel: 'whatsapp', template: 'oi' }, 'provider_unavailable'],
    ['an e-mail without a sender', { channel: 'email', text: 'Oi\nOi' }, 'sender_unavailable'],
    ['a template that there is not', { channel: 'sms', template: 'sem_cadastro' }, 'template_unavailable'],
  ])('on %s is paused before anybody is sent to or charged, each time that it is resumed', async (_, said, reason) => {
    const made = await messaging.tenant({ takesEvents: true });
    await messaging.credit('live', made.id, 100_000);
    const tenant = { ...made, test: made.live };
    const ids = await people(tenant, ['0005', '1005'], {});
    for (const [at, id] of ids.entries()) {
      const body = { email: `pessoa${at}@example.com` };
      expect((await tenant.test.call('PATCH', `/contacts/${id}`, { body })).status).toBe(200);
    }
    const { id } = await create(tenant, { audience: { contactIds: ids }, message: said });
    await move(tenant, id, 'start');
    await pausedFor(tenant, id, reason);
    await move(tenant, id, 'resume');
    await pausedFor(tenant, id, reason);
    expect((await tenant.test.get(`/v2/campaigns/${id}`)).body).toMatchObject({
      progress: { total: 2, sent: 0, skipped: 0 },
      coins: { captured: 0, held: 0 },
    });
    expect(await eventsRaised(messaging, 'live', tenant, /^(campaign|wallet)\./)).toEqual([
      'campaign.started',
      `campaign.paused ${reason}`,
      `campaign.paused ${reason}`,
    ]);
    await move(tenant, id, 'cancel');
    await vi.waitFor(async () => {
      expect(await recipientsOf(tenant, id, { status: 'skipped' })).toHaveLength(2);
    }, WAIT);
    expect(await acts(tenant, id)).toEqual([
      'campaign.created',
      'campaign.started',
      'campaign.resumed',
      'campaign.cancelled',
    ]);
    expect((await tenant.test.get('/v2/wallet')).body).toMatchObject({ balanceCoins: 100_000, heldCoins: 0 });
  });

  test('whose segment is deleted before its time is paused, and cannot be resumed while its audience refers to it', async () => {
    const tenant = await liveTenant(100_000);
    await people(tenant, ['0005'], { tags: ['vip'] });
    const filters = [{ field: 'tag', operator: 'is', value: 'vip' }];
    const { body: segment } = await tenant.test.post('/v2/segments', { name: 'VIP', filters });
    const scheduledAt = new Date(Date.now() + 6_000).toISOString();
    const { id } = await create(tenant, { audience: { segmentIds: [segment.id] }, scheduledAt, message });
    await move(tenant, id, 'start');
    expect((await tenant.test.call('DELETE', `/v2/segments/${segment.id}`)).status).toBe(204);
    await pausedFor(tenant, id, 'audience_unavailable');
    const resumed = await tenant.test.post(`/v2/campaigns/${id}/resume`, {});
    expect(resumed).toMatchObject({ status: 422, body: { errors: [{ path: 'audience.segmentIds.0' }] } });
    expect(await eventsRaised(messaging, 'live', tenant, /^(campaign|wallet)\./)).toEqual([
      'campaign.paused audience_unavailable',
    ]);
    expect(await move(tenant, id, 'cancel')).toMatchObject({ status: 'cancelled', progress: { total: 0 } });
  });
});
