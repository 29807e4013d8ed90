import { expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { type AccountPorts, accountOf, ownersOf } from '../../shared/domain/inbound/accounts.ts';

const [shop, bakery] = [newId('organization'), newId('organization')];
const number = { id: newId('number'), organizationId: shop };
const account = { id: 'ig_shop', organizationId: shop, account: '17841' };
const ports: AccountPorts = {
  env: 'live',
  instagramAccounts: async () => [account],
  numberOfPhoneId: async (phoneNumberId) => (phoneNumberId === '1055' ? number : undefined),
  organizationsOfAccount: async (wabaId) => (wabaId === '9001' ? [shop, bakery] : []),
  organizationsWithSender: async (channel, value) => (channel === 'sms' && value === '28900' ? [bakery] : []),
};
const owners = async (...args: Parameters<ReturnType<typeof ownersOf>>) =>
  (await ownersOf(ports)(...args)).map(({ organizationId }) => organizationId);

test('a WhatsApp number has one owner, and its business account every organization with a number in it', async () => {
  expect(await owners('whatsapp', '1055')).toEqual([shop]);
  expect(await owners('whatsapp', '9001')).toEqual([shop, bakery]);
});

test('an Instagram account, a sender of SMS and an agent belong to who has them, in the environment of the stage', async () => {
  expect(await ownersOf(ports)('instagram', '17841')).toEqual([{ organizationId: shop, env: 'live' }]);
  expect(await owners('sms', '28900')).toEqual([bakery]);
  expect(await owners('rcs', '28900')).toEqual([]);
  expect(await owners('instagram', '17842')).toEqual([]);
  expect(await ownersOf({ ...ports, instagramAccounts: async () => undefined })('instagram', '17841')).toEqual([]);
});

test('a message to an address of a channel without such senders has no owner', async () => {
  expect(await owners('email', 'oi@loja.example')).toEqual([]);
});

test("a message shows the number or account that it came to, and nothing of another organization's", async () => {
  const of = accountOf(ports);
  expect(await of(shop, { channel: 'whatsapp', to: '1055' })).toEqual({ numberId: number.id });
  expect(await of(bakery, { channel: 'whatsapp', to: '1055' })).toEqual({});
  expect(await of(shop, { channel: 'instagram', to: '17841' })).toEqual({ instagramAccountId: 'ig_shop' });
  expect(await of(bakery, { channel: 'instagram', to: '17841' })).toEqual({});
  expect(await of(shop, { channel: 'whatsapp' })).toEqual({});
  expect(await of(shop, { channel: 'sms', to: '1055' })).toEqual({});
});
