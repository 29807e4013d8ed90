import { describe, expect, test } from 'vitest';
import { checkMoney } from '../support/money.ts';
import { expectProblem } from '../support/problems.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';
import { becomes, create, listOf, message, move, people, recipientsOf } from './campaigns-kit.ts';

const messaging = await sharedMessaging();
const OPENING = 10_000_000;
const SMS = 800;
describe('a campaign', { timeout: 180_000 }, () => {
  test('writes once to each of its audience, filled for each, and completes with its figures', async () => {
    const tenant = await messaging.tenant({ takesEvents: true });
    const ids = await people(tenant, ['0005', '0008', '0005', '0025', '0005']);
    const listId = await listOf(tenant, ids.slice(0, 4));
    const { id } = await create(tenant, { audience: { listIds: [listId], contactIds: ids.slice(2) } });
    expect(id).toMatch(/^cmp_[0-9A-Za-z]{21}$/);
    const preview = await move(tenant, id, 'preview');
    expect(preview).toMatchObject({ reach: 5, price: { coins: 5 * SMS }, enough: true, estimated: false });
    expect(preview.samples.map(({ text }: { text: string }) => text)).toContain('Oi Ana 4!');
    await move(tenant, id, 'start');
    await becomes(tenant, id, {
      status: 'completed',
      progress: { total: 5, queued: 0, sent: 5, delivered: 4, failed: 1, skipped: 0 },
      coins: { captured: 5 * SMS, held: 0 },
    });
    const sent = (await tenant.test.get('/v2/sms/messages', { campaignId: id })).body;
    expect(sent.total).toBe(5);
    expect(new Set(sent.items.map(({ contactId }: { contactId: string }) => contactId))).toEqual(new Set(ids));
    const recipients = await recipientsOf(tenant, id);
    expect(recipients.map(({ contactId }: { contactId: string }) => contactId)).toEqual(ids);
    expect(await recipientsOf(tenant, id, { status: 'failed' })).toMatchObject([{ contactId: ids[1] }]);
    expect((await tenant.test.get('/v2/wallet')).body.balanceCoins).toBe(OPENING - 5 * SMS);
    const events = (await messaging.eventsOf('test', tenant.id)).filter(({ type }) => type.startsWith('campaign.'));
    expect(events).toMatchObject([
      { type: 'campaign.started', data: { campaignId: id, total: 5 } },
      { type: 'campaign.completed', data: { campaignId: id, progress: { sent: 5, delivered: 4, failed: 1 } } },
    ]);
    await checkMoney(messaging.tables.test, tenant.id);
  });

  test('is refused with the place of what is wrong, and changes nothing', async () => {
    const tenant = await messaging.tenant();
    const [id] = await people(tenant, ['0005']);
    const audience = { contactIds: [id] };
    const post = (fields: object) => tenant.test.post('/v2/campaigns', { name: 'X', message, audience, ...fields });
    const places: [object, string][] = [
      [{ message: { channel: 'sms', text: 'Oi {{contact.name' } }, 'message.text'],
      [{ message: { channel: 'sms', text: '{{nome}}' } }, 'message.text'],
      [{ message: { channel: 'sms', text: '{{event.x}}' } }, 'message.text'],
      [{ audience: {} }, 'audience'],
      [{ audience: { listIds: [`lst_${'0'.repeat(21)}`] } }, 'audience.listIds.0'],
      [{ audience: { ...audience, excludeSegmentIds: [`seg_${'0'.repeat(21)}`] } }, 'audience.excludeSegmentIds.0'],
      [{ message: undefined }, 'message'],
      [{ message: { ...message, to: '+5511999990005' } }, 'message.to'],
    ];
    for (const [fields, path] of places) {
      const answer = await post(fields);
      expectProblem(answer, 422);
      expect(answer.body.errors.map((error: { path: string }) => error.path)).toContain(path);
    }
    expect((await tenant.test.get('/v2/campaigns')).body).toEqual({ items: [], total: 0 });
  });
});
