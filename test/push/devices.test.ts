import { describe, expect, test } from 'vitest';
import type { PushDevice } from '../../shared/domain/channels/push/device.ts';
import { type DevicePorts, optOutDevice, registerDevice } from '../../shared/domain/channels/push/devices.ts';
import { retirePushDevices } from '../../shared/storage/push/devices.ts';
import { accepted } from '../support/accepted.ts';
import { usePush } from './world.ts';

const { world, push } = await usePush();

/** An organization with an app, and the calls of its one device. */
const deviceOwner = async () => {
  const actor = await world.organization(1);
  const { id: appId } = await push.app(actor);
  const token = 'device-1';
  return {
    actor,
    register: async (fields: object = {}, ports: DevicePorts = push.devicePorts) => {
      const registration = { appId, token, platform: 'ios', ...fields } as const;
      return accepted(await registerDevice(ports, actor, registration));
    },
    optOut: () => optOutDevice(push.devicePorts, actor, { appId, token }),
    stored: async ({ id }: PushDevice) => push.devicePorts.devices.read(actor.organizationId, id),
  };
};

describe('one device', () => {
  test('registered by 24 concurrent callers is one row, and no call fails', async () => {
    const { register } = await deviceOwner();
    for (const fields of [{}, { userName: 'Ana' }]) {
      const all = await Promise.all(Array.from({ length: 24 }, () => register(fields)));
      expect(new Set(all.map(({ id }) => id)).size).toBe(1);
    }
  });

  test('keeps the different fields that concurrent callers register', async () => {
    const { register, stored } = await deviceOwner();
    const fields = { externalId: 'loja:1', userName: 'Ana', userEmail: 'a@b.example', userPhone: '+55', topics: ['a'] };
    const all = await Promise.all(Object.entries(fields).map(([name, value]) => register({ [name]: value })));
    expect(await stored(all[0] as PushDevice)).toMatchObject(fields);
  });

  test('that opts out during a registration stays opted out: the registration does not overwrite it', async () => {
    const { register, optOut, stored } = await deviceOwner();
    const device = await register();
    const { devices } = push.devicePorts;
    let puts = 0;
    const put: typeof devices.put = async (...given) => {
      if (++puts === 1) await optOut();
      return devices.put(...given);
    };
    await register({ userName: 'Ana' }, { ...push.devicePorts, devices: { read: devices.read, put } });
    expect(puts).toBe(2);
    expect(await stored(device)).toMatchObject({ optedIn: false, userName: 'Ana' });
  });

  test('that opts out several times concurrently counts once', async () => {
    const { register, optOut } = await deviceOwner();
    await register();
    await Promise.all([optOut(), optOut(), register({ optedIn: false })]);
    expect(push.optOuts).toEqual(['ios']);
  });

  test('whose older registration arrives last is not retired by a report from before the newer one', async () => {
    const { actor, register, stored } = await deviceOwner();
    await register();
    const older = world.now;
    world.now += 60_000;
    await register({ userName: 'Ana' });
    [world.now] = [older];
    const device = await register({ userName: 'Bia' });
    await retirePushDevices(world.table, actor.organizationId, [device.id], older + 30_000);
    expect(await stored(device)).toMatchObject({ userName: 'Bia', updatedAt: older + 60_000 });
    expect((await stored(device))?.retiredAt).toBeUndefined();
  });
});

test('a contact that was created just now is found: its row is read consistently', async () => {
  const { register } = await deviceOwner();
  const reads: { ConsistentRead?: boolean }[] = [];
  const contactId = 'cnt_4hJ9sKq2LmN8pRt5VwXz1';
  world.proxy.plan(({ action, body }) => {
    if (action === 'GetItem' && body.includes(contactId)) reads.push(JSON.parse(body));
    return undefined;
  });
  await expect(register({ contactId })).rejects.toThrow('refused');
  expect(reads.map(({ ConsistentRead }) => ConsistentRead)).toEqual([true]);
});
