import { expect, test } from 'vitest';
import { dispatchesOf, ended, send, shopOf } from '../push/flow.ts';
import { sharedMessaging } from '../support/shared-messaging.ts';

const messaging = await sharedMessaging();

test('a push to a segment reaches the opted-in devices of its contacts as they are now, and no others', async () => {
  const { client, register } = await shopOf(messaging);
  const contact = async (phone: string, tags: readonly string[]): Promise<string> =>
    (await client.post('/contacts', { phone, tags })).body.id;
  const [vip, late, other] = [
    await contact('+5511988880001', ['vip']),
    await contact('+5511988880002', []),
    await contact('+5511988880003', ['novo']),
  ];
  await register('vip-0005', { contactId: vip });
  await register('vip-out-0005', { contactId: vip, optedIn: false });
  await register('vip-tablet-0005', { contactId: vip, platform: 'android' });
  await register('late-0005', { contactId: late });
  await register('other-0005', { contactId: other });
  await register('nobody-0005');
  const filters = [{ field: 'tag', operator: 'is', value: 'vip' }];
  const { id: segment } = (await client.post('/v2/segments', { name: 'VIPs', filters })).body;
  const reach = async () => (await client.post('/v2/push/preview', { platforms: ['ios'], segment })).body.reach;
  expect(await reach()).toBe(1);
  await client.call('PATCH', `/contacts/${late}`, { body: { tags: ['vip'] } });
  expect(await reach()).toBe(2);
  const sent = await send(client, { platforms: ['ios', 'android'], segment });
  expect(sent.body).toMatchObject({ audience: { segment }, metrics: { reach: 3 } });
  expect(await ended(client, sent.body.id)).toMatchObject({ status: 'sent', metrics: { reach: 3, delivered: 3 } });
  expect(await dispatchesOf(client, sent.body.id)).toHaveLength(3);
});
