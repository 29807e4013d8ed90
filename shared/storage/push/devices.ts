import * as z from 'zod';
import type { PushDevice } from '../../domain/channels/push/device.ts';
import type { DeviceStore } from '../../domain/channels/push/devices.ts';
import { PUSH_PLATFORMS } from '../../domain/channels/push/transport.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import { ABSENT } from '../client/conditions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';

const PURPOSE = 'push-device';
const text = z.string().optional();

/** The person of a device: sealed together, opened only to be shown. */
const person = z.object({ userName: text, userEmail: text, userPhone: text });

/** A device as sends need it; its person is sealed in an attribute. */
interface StoredDevice extends Omit<PushDevice, 'userName' | 'userEmail' | 'userPhone'> {
  readonly person?: string | undefined;
}
export const pushDeviceRows = defineRow<StoredDevice>()({
  attributes: {
    id: id('pushToken'),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    appId: id('pushApp'),
    platform: z.enum(PUSH_PLATFORMS),
    token: z.string(),
    p256dh: text,
    auth: text,
    externalId: text,
    contactId: id('contact').optional(),
    person: text,
    deviceName: text,
    topics: z.array(z.string()).optional(),
    optedIn: z.boolean(),
    optedOutAt: time.optional(),
    retiredAt: time.optional(),
    createdAt: time,
    updatedAt: time,
    version: z.int(),
  },
  rename: { organizationId: 'org' },
  key: (device) => KEYS.pushToken(device.organizationId, device.id),
});

const withoutPerson = (row: Row): PushDevice => {
  const { person: _, ...device } = pushDeviceRows.read(row);
  return device;
};

const personOf = ({ userName, userEmail, userPhone }: PushDevice): string | undefined =>
  userName === undefined && userEmail === undefined && userPhone === undefined
    ? undefined
    : JSON.stringify({ userName, userEmail, userPhone });

/** The push devices of a stage. */
export const pushDevices = (table: Table, vault: () => Promise<Vault>): DeviceStore => ({
  async read(organizationId, id) {
    const row = await table.get(KEYS.pushToken(organizationId, id));
    if (!row) return undefined;
    const { person: sealed, ...device } = pushDeviceRows.read(row);
    if (sealed === undefined) return device;
    const opened = (await vault()).open(PURPOSE, organizationId, sealed, id);
    return { ...device, ...person.parse(JSON.parse(opened)) };
  },
  async put(device, before) {
    const owner = personOf(device);
    const sealed =
      owner === undefined ? undefined : (await vault()).seal(PURPOSE, device.organizationId, owner, device.id);
    const { ok } = await table.write({
      put: pushDeviceRows.write({ ...device, person: sealed }),
      when: before ? atVersion(before.version) : ABSENT,
    });
    return ok;
  },
});

/** Devices by their ids, without their persons; missing ones are left out. */
export const readPushDevices = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'pushToken'>[],
): Promise<ReadonlyMap<Id<'pushToken'>, PushDevice>> => {
  const rows = await table.getMany(
    ids.map((id) => KEYS.pushToken(organizationId, id)),
    { consistent: true },
  );
  return new Map(rows.flatMap((row) => (row ? [withoutPerson(row)] : [])).map((device) => [device.id, device]));
};

/** Retires devices with dead tokens, except those that were registered again since `at` (ms). */
export const retirePushDevices = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'pushToken'>[],
  at: number,
): Promise<void> => {
  await Promise.all(
    ids.map((id) =>
      table.write({
        update: KEYS.pushToken(organizationId, id),
        set: pushDeviceRows.set({ retiredAt: at }),
        add: { version: 1 },
        when: { text: '#updatedAt <= :at', values: { at: isoTime(at) } },
      }),
    ),
  );
};
