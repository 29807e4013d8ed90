import { describe, expect, test } from 'vitest';
import type { PushDevice } from '../../shared/domain/channels/push/device.ts';
import { type DevicePorts, optOutDevice, registerDevice } from '../../shared/domain/channels/push/devices.ts';
import { retirePushDevices } from '../../shared/storage/push/devices.ts';
import { usePush } from './world.ts';

const { world, push } = await usePush();

/** An organization with an app, and what its device says and does. */
const owner = async () => {
  const actor = await world.organization(1);
  const { id: appId } = await push.app(actor);
  const token = 'device-1';
  return {
    actor,
    register: async (fields: object = {}, ports: DevicePorts = push.devicePorts) => {
      const registration = { appId, token, platform: 'ios', ...fields } as const;
      const device = await registerDevice(ports, actor, registration);
      if (!('id' in device)) throw new Error('the device was refused');
      return device;
    },
    optOut: () => optOutDevice(push.devicePorts, actor, { appId, token }),
    stands: async ({ id }: PushDevice) => push.devicePorts.devices.read(actor.organizationId, id),
  };
};

describe('one device', () => {
  test('that is registered by 24 callers at once is one row, and none of them has to come again', async () => {
    const { register } = await owner();
    for (const fields of [{}, { userName: 'Ana' }]) {
      const all = await Promise.all(Array.from({ length: 24 }, () => register(fields)));
      expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    }
  });

  test('of which several callers tell different things at once keeps all of them', async () => {
    const { register, stands } = await owner();
    const said = { externalId: 'loja:1', userName: 'Ana', userEmail: 'a@b.example', userPhone: '+55', topics: ['a'] };
    const all = await Promise.all(Object.entries(said).map(([name, value]) => register({ [name]: value })));
    expect(await stands(all[0] as PushDevice)).toMatchObject(said);
  });

  test('that opts out while its app opens is out: what was read before does not take it back', async () => {
    const { register, optOut, stands } = await owner();
    const device = await register();
    const { devices } = push.devicePorts;
    let puts = 0;
    const put: typeof devices.put = async (...given) => {
      if (++puts === 1) await optOut();
      return devices.put(...given);
    };
    await register({ userName: 'Ana' }, { ...push.devicePorts, devices: { read: devices.read, put } });
    expect(puts).toBe(2);
    expect(await stands(device)).toMatchObject({ optedIn: false, userName: 'Ana' });
  });

  test('that says twice at once that it opts out counts once', async () => {
    const { register, optOut } = await owner();
    await register();
    await Promise.all([optOut(), optOut(), register({ optedIn: false })]);
    expect(push.left).toEqual(['ios']);
  });

  test('whose older registration arrives last is not retired for what was said before the newer one', async () => {
    const { actor, register, stands } = await owner();
    await register();
    const older = world.now;
    world.now += 60_000;
    await register({ userName: 'Ana' });
    [world.now] = [older];
    const device = await register({ userName: 'Bia' });
    await retirePushDevices(world.table, actor.organizationId, [device.id], older + 30_000);
    expect(await stands(device)).toMatchObject({ userName: 'Bia', updatedAt: older + 60_000 });
    expect((await stands(device))?.retiredAt).toBeUndefined();
  });
});

test('a contact that was made just now is known: its row is read as it stands, not as it stood', async () => {
  const { register } = await owner();
  const reads: { ConsistentRead?: boolean }[] = [];
  const contactId = 'cnt_4hJ9sKq2LmN8pRt5VwXz1';
  world.proxy.plan(({ action, body }) => {
    if (action === 'GetItem' && body.includes(contactId)) reads.push(JSON.parse(body));
    return undefined;
  });
  await expect(register({ contactId })).rejects.toThrow('refused');
  expect(reads.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true]);
});
