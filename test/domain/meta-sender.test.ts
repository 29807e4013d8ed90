import { expect, test, vi } from 'vitest';
import { type MetaSenderPorts, senderOf } from '../../shared/domain/channels/meta/sender.ts';
import type { Tenant } from '../../shared/domain/core/actor.ts';
import { newId } from '../../shared/domain/core/ids.ts';

const [shop, bakery] = [newId('organization'), newId('organization')];
const tenant: Tenant = { organizationId: shop, env: 'live' };
const [usual, named] = [newId('number'), newId('number')];
const accounts = [
  { id: 'ig_bakery', organizationId: bakery, account: '1' },
  { id: 'ig_first', organizationId: shop, account: '2' },
  { id: 'ig_second', organizationId: shop, account: '3' },
];
const world = (over: Partial<MetaSenderPorts> = {}) => {
  const lastInbound = vi.fn(async () => 7);
  const find = senderOf({
    recipientHash: async (_, channel, to) => `${channel}:${to}`,
    instagramAccounts: async () => accounts,
    usualNumber: async () => ({ id: usual }),
    namedNumber: async (_, id) => ({ id }),
    lastInbound,
    ...over,
  });
  return { find, lastInbound };
};
const onWhatsapp = { channel: 'whatsapp', to: '+5511999990005', needsWindow: false } as const;
const onInstagram = { channel: 'instagram', to: '42', needsWindow: false } as const;

test('a message is sent from the number that it names, else from the usual one', async () => {
  const { find } = world();
  expect(await find(tenant, { ...onWhatsapp, requestedId: undefined })).toEqual({ id: usual });
  expect(await find(tenant, { ...onWhatsapp, requestedId: named })).toEqual({ id: named });
});

test('an invalid number id names no number, and nothing is read for it', async () => {
  const namedNumber = vi.fn(async () => ({ id: named }));
  expect(await world({ namedNumber }).find(tenant, { ...onWhatsapp, requestedId: 'num_x' })).toBeUndefined();
  expect(namedNumber).not.toHaveBeenCalled();
});

test("an Instagram account is the organization's own, the first where none is named", async () => {
  const { find } = world();
  expect(await find(tenant, { ...onInstagram, requestedId: undefined })).toMatchObject({ id: 'ig_first' });
  expect(await find(tenant, { ...onInstagram, requestedId: 'ig_second' })).toMatchObject({ id: 'ig_second' });
  expect(await find(tenant, { ...onInstagram, requestedId: 'ig_bakery' })).toBeUndefined();
});

test('without a provider of Instagram the sandbox sends, from no account: one that is named does not exist', async () => {
  const { find } = world({ instagramAccounts: async () => undefined });
  expect(await find(tenant, { ...onInstagram, requestedId: undefined })).toEqual({ id: undefined });
  expect(await find(tenant, { ...onInstagram, requestedId: 'ig_first' })).toBeUndefined();
});

test('the window of an Instagram message is read only where the message needs it', async () => {
  const { find, lastInbound } = world();
  await find(tenant, { ...onInstagram, requestedId: undefined });
  expect(lastInbound).not.toHaveBeenCalled();
  expect(await find(tenant, { ...onInstagram, needsWindow: true, requestedId: undefined })).toEqual({
    id: 'ig_first',
    lastInboundAt: 7,
  });
  expect(lastInbound).toHaveBeenCalledWith({ organizationId: shop, hash: 'instagram:42' });
});
