import { beforeEach, expect, test } from 'vitest';
import { afterRegistration, type PushDevice } from '../../shared/domain/channels/push/device.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { createVault } from '../../shared/domain/core/secrets.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { migrateTable } from '../../shared/storage/migration/migrate.ts';
import { pushDeviceRows, pushDevices, sealDeviceNames } from '../../shared/storage/push/devices.ts';
import { use } from '../support/use.ts';
import { startWorld } from '../support/world.ts';

const world = await use(startWorld('test', { inMemory: false }));
beforeEach(world.reset);
const { table } = world;
const vault = createVault(Buffer.alloc(32, 7));
const devices = pushDevices(table, async () => vault);
const NAME = 'iPhone da Beatriz';
const ANA = { userName: 'Ana Beatriz', userEmail: 'ana@example.com', userPhone: '+5511999991234' };
const migrate = () =>
  migrateTable(table, { segments: 1, rowsPerSecond: 1e6, rewrites: { pushToken: sealDeviceNames(vault) } });

const aDevice = (fields: object): PushDevice => {
  const registration = { appId: newId('pushApp'), token: newId('request'), platform: 'ios', ...fields } as const;
  return afterRegistration({ organizationId: newId('organization'), env: 'test' }, undefined, registration, world.now);
};
const rowOf = async (device: PushDevice) => {
  const row = await table.get(KEYS.pushToken(device.organizationId, device.id));
  if (!row) throw new Error('gone');
  return row;
};
const textOf = async (device: PushDevice) => JSON.stringify(await rowOf(device));
/** Stores a device as the first shape has it: its own name in clear, the rest of its person sealed. */
const storeOld = async (device: PushDevice): Promise<void> => {
  await devices.put({ ...device, deviceName: undefined }, undefined);
  const { shape: _, ...row } = await rowOf(device);
  await table.write({ put: { ...row, pk: row.pk, sk: row.sk, deviceName: device.deviceName } });
};

test.each([
  ['with its person', ANA],
  ['alone', {}],
])('the name of a device is sealed, %s', async (_, person) => {
  const device = aDevice({ ...person, deviceName: NAME });
  expect(await devices.put(device, undefined)).toBe(true);
  expect(await textOf(device)).not.toMatch(/iPhone|Beatriz|999991234/);
  expect(await devices.read(device.organizationId, device.id)).toEqual(device);
});

test('a row of the first shape is read as it is, and sealed by the migration, whose repeat finds nothing to do', async () => {
  const old = [aDevice({ ...ANA, deviceName: NAME }), aDevice({ deviceName: NAME }), aDevice(ANA), aDevice({})];
  for (const device of old) {
    await storeOld(device);
    expect(await devices.read(device.organizationId, device.id)).toEqual(device);
  }
  expect(await textOf(old[0] as PushDevice)).toContain(NAME);
  expect((await migrate()).pushToken).toMatchObject({ rewritten: 4, unreadable: 0, busy: 0 });
  for (const device of old) {
    expect(await textOf(device)).not.toMatch(/iPhone|Beatriz|999991234/);
    expect((await rowOf(device)).shape).toBe(pushDeviceRows.version);
    expect(await devices.read(device.organizationId, device.id)).toEqual(device);
  }
  expect((await migrate()).pushToken).toMatchObject({ rewritten: 0, unreadable: 0, busy: 0 });
});

test('a device that registers again while it is migrated keeps its new data', async () => {
  const device = aDevice({ ...ANA, deviceName: NAME });
  await storeOld(device);
  let raced = false;
  const racing = new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value;
      return async (...of: Parameters<Table['write']>) => {
        const isDevice = 'update' in of[0] && of[0].update.sk === KEYS.pushToken(device.organizationId, device.id).sk;
        if (isDevice && !raced) {
          raced = true;
          await devices.put({ ...device, deviceName: 'Tablet', version: device.version + 1 }, device);
        }
        return target.write(...of);
      };
    },
  });
  await migrateTable(racing, { segments: 1, rowsPerSecond: 1e6, rewrites: { pushToken: sealDeviceNames(vault) } });
  expect(raced).toBe(true);
  expect(await devices.read(device.organizationId, device.id)).toMatchObject({
    deviceName: 'Tablet',
    userName: 'Ana Beatriz',
  });
  expect(await textOf(device)).not.toMatch(/iPhone|Tablet/);
});
