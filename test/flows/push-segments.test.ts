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

test('a push to a static list reaches the opted-in devices of its contacts; one that opted out or left it gets nothing', async () => {
  const { client, register } = await shopOf(messaging);
  const contact = async (phone: string): Promise<string> => (await client.post('/contacts', { phone })).body.id;
  const [member, out, left] = [
    await contact('+5511988880101'),
    await contact('+5511988880102'),
    await contact('+5511988880103'),
  ];
  await register('member-0005', { contactId: member });
  await register('out-0005', { contactId: out });
  await register('left-0005', { contactId: left });
  await register('other-0005', { contactId: await contact('+5511988880104') });
  const { id: segment } = (await client.post('/v2/lists', { name: 'Clientes' })).body;
  await client.post(`/v2/lists/${segment}/members`, { contactIds: [member, out, left] });
  await client.post(`/v2/lists/${segment}/members/remove`, { contactIds: [left] });
  await client.post(`/contacts/${out}/opt-out`, {});
  expect((await client.post('/v2/push/preview', { platforms: ['ios'], segment })).body.reach).toBe(1);
  const { body } = await send(client, { segment });
  expect(body).toMatchObject({ audience: { segment }, metrics: { reach: 1 } });
  expect(await ended(client, body.id)).toMatchObject({ status: 'sent', metrics: { delivered: 1, failures: 0 } });
  expect((await client.get(`/messages/${body.id}`)).body.to).toBe(segment);
  expect((await send(client, { segment: `${segment.slice(0, -1)}#` })).status).toBe(422);
});
