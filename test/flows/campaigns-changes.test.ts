import { describe, expect, test } from 'vitest';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, listOf, move, people } from './campaigns-kit.ts';

const messaging = await sharedMessaging();
const SMS = 800;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

describe('a campaign', { timeout: 180_000 }, () => {
  test('that was scheduled becomes a draft once its time is cleared, and starts on request', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const { id } = await create(tenant, { audience: { contactIds: ids }, scheduledAt: ahead(3600_000) });
    await move(tenant, id, 'start');
    const { body } = await tenant.test.call('PATCH', `/v2/campaigns/${id}`, { body: { scheduledAt: null } });
    expect(body).toMatchObject({ status: 'draft' });
    expect(body).not.toHaveProperty('scheduledAt');
    expect(await move(tenant, id, 'start')).toMatchObject({ status: 'running' });
    await becomes(tenant, id, { status: 'completed', progress: { delivered: 1 } });
  });

  test('that never started because its audience was missing gets another one, and then starts', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '1005']);
    const lacking = async (name: string) => {
      const listId = await listOf(tenant, ids, name);
      const { id } = await create(tenant, { audience: { listIds: [listId] }, scheduledAt: ahead(1_500) });
      await move(tenant, id, 'start');
      expect((await tenant.test.call('DELETE', `/v2/lists/${listId}`)).status).toBe(204);
      await becomes(tenant, id, { status: 'paused', pausedBy: { reason: 'audience_unavailable' } });
      const changed = await tenant.test.call('PATCH', `/v2/campaigns/${id}`, {
        body: { audience: { contactIds: ids } },
      });
      expect(changed.body).toMatchObject({ status: 'paused', audience: { contactIds: ids } });
      return id;
    };
    for (const operation of ['start', 'resume']) {
      const id = await lacking(operation);
      expect((await move(tenant, id, operation)).status).toBe('running');
      await becomes(tenant, id, { status: 'completed', progress: { total: 2, delivered: 2 } });
    }
  });

  test('accepts no limit below what its messages have cost so far', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005', '1005', '2005']);
    const { id } = await create(tenant, { audience: { contactIds: ids }, maxCoins: 2 * SMS });
    await move(tenant, id, 'start');
    await becomes(tenant, id, { status: 'paused', coins: { captured: 2 * SMS, held: 0 } });
    const refused = await tenant.test.post(`/v2/campaigns/${id}/resume`, { maxCoins: 2 * SMS - 1 });
    expectProblem(refused, 422);
    expect(refused.body.errors).toMatchObject([{ path: 'maxCoins' }]);
    expect((await tenant.test.get(`/v2/campaigns/${id}`)).body).toMatchObject({ status: 'paused', maxCoins: 2 * SMS });
    const changed = await tenant.test.call('PATCH', `/v2/campaigns/${id}`, { body: { name: 'Outra' } });
    expectProblem(changed, 409);
    // Exactly what they cost is taken, and pauses it again before anybody else is written to.
    await move(tenant, id, 'resume', { maxCoins: 2 * SMS });
    await becomes(tenant, id, { status: 'paused', progress: { sent: 2 }, pausedBy: { reason: 'max_coins' } });
    await move(tenant, id, 'resume', { maxCoins: 3 * SMS });
    await becomes(tenant, id, { status: 'completed' });
  });

  test('names the field if its recipients are filtered by a missing variant, or a list is given without entries', async () => {
    const tenant = await messaging.tenant();
    const ids = await people(tenant, ['0005']);
    const { id } = await create(tenant, { audience: { contactIds: ids } });
    const unknown = await tenant.test.get(`/v2/campaigns/${id}/recipients`, { variant: 'Z' });
    expectProblem(unknown, 400);
    expect(unknown.body.errors).toMatchObject([{ path: 'variant' }]);
    const listId = await listOf(tenant, ids);
    const emptied = await tenant.test.call('PUT', `/v2/lists/${listId}/members`, { body: {} });
    expectProblem(emptied, 422);
    expect(emptied.body.errors.map(({ path }: { path: string }) => path).sort()).toEqual([
      'contactIds',
      'externalIds',
      'phones',
    ]);
  });
});
