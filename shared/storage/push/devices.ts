import * as z from 'zod';
import type { AppStore } from '../../domain/channels/push/app.ts';
import { deviceIdOf, MAX_DEVICES_OF_PERSON, type PushDevice } from '../../domain/channels/push/device.ts';
import type { DeviceStore } from '../../domain/channels/push/devices.ts';
import { PUSH_PLATFORMS } from '../../domain/channels/push/transport.ts';
import { type Id, isId } from '../../domain/core/ids.ts';
import type { Vault } from '../../domain/core/secrets.ts';
import { isoTime } from '../../domain/core/time.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant, time } from '../client/attributes.ts';
import { coalescedRead } from '../client/coalescer.ts';
import { ABSENT } from '../client/conditions.ts';
import { atVersion } from '../client/optimistic-commit.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import type { Rewrite } from '../migration/rewrites.ts';
import { PARSE_KEY } from '../parse-key.ts';

const PURPOSE = 'push-device';
const text = z.string().optional();

/** Personal data of a device: sealed together, opened only to be shown. */
const person = z.object({ userName: text, userEmail: text, userPhone: text, deviceName: text });
type Person = z.output<typeof person>;

/** A device as sends need it; its personal data is sealed in an attribute. */
interface StoredDevice extends Omit<PushDevice, 'userName' | 'userEmail' | 'userPhone'> {
  readonly person?: string | undefined;
  /** Only in rows of the first shape; in newer ones it is sealed with the personal data. */
  readonly deviceName?: string | undefined;
}
export const pushDeviceRows = defineRow<StoredDevice>()({
  attributes: {
    id: id('pushToken'),
    ...tenant,
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
  version: 2,
  key: (device) => KEYS.pushToken(device.organizationId, device.id),
  index({ id, organizationId, contactId, externalId, retiredAt, updatedAt }) {
    if (retiredAt !== undefined) return {};
    const at = isoTime(updatedAt);
    return {
      ...(contactId === undefined ? {} : INDEX_KEYS.pushTokensOfContact(contactId, at, id)),
      ...(externalId === undefined ? {} : INDEX_KEYS.pushTokensOfPerson(organizationId, externalId, at, id)),
    };
  },
});

const withoutPerson = (row: Row): PushDevice => {
  const { person: _, deviceName: __, ...device } = pushDeviceRows.read(row);
  return device;
};

type Place = Pick<PushDevice, 'id' | 'organizationId'>;
const openPerson = (vault: Vault, { organizationId, id }: Place, sealed: string): Person =>
  person.parse(JSON.parse(vault.open(PURPOSE, organizationId, sealed, id)));
const sealPerson = (
  vault: Vault,
  { organizationId, id }: Place,
  { userName, userEmail, userPhone, deviceName }: Person,
): string => vault.seal(PURPOSE, organizationId, JSON.stringify({ userName, userEmail, userPhone, deviceName }), id);
const hasPerson = ({ userName, userEmail, userPhone, deviceName }: PushDevice): boolean =>
  [userName, userEmail, userPhone, deviceName].some((each) => each !== undefined);

/** Seals the names of devices in rows of the first shape, which store them in plain text. */
export const sealDeviceNames = (vault: Vault): Rewrite => ({
  codec: {
    names: pushDeviceRows.names,
    version: pushDeviceRows.version,
    upgrade(row) {
      const upgraded = pushDeviceRows.upgrade(row);
      const { deviceName, person: sealed, ...device } = pushDeviceRows.read(row);
      if (!upgraded || deviceName === undefined) return upgraded;
      const { deviceName: _, ...rest } = upgraded;
      const known = sealed === undefined ? {} : openPerson(vault, device, sealed);
      return { ...rest, person: sealPerson(vault, device, { deviceName, ...known }) };
    },
  },
});

/** The push devices of a stage. */
export const pushDevices = (table: Table, vault: () => Promise<Vault>): DeviceStore => ({
  async read(organizationId, id) {
    const row = await table.get(KEYS.pushToken(organizationId, id));
    if (!row) return undefined;
    const { person: sealed, ...device } = pushDeviceRows.read(row);
    return sealed === undefined ? device : { ...device, ...openPerson(await vault(), device, sealed) };
  },
  async put(device, before) {
    const sealed = hasPerson(device) ? sealPerson(await vault(), device, device) : undefined;
    const { ok } = await table.write({
      put: pushDeviceRows.write({ ...device, person: sealed, deviceName: undefined }),
      when: before ? atVersion(before.version) : ABSENT,
    });
    return ok;
  },
});

/** Devices by their ids, without personal data; missing ones are omitted. Concurrent callers with a person's devices share a call. */
export const readPushDevices = async (
  table: Table,
  organizationId: Id<'organization'>,
  ids: readonly Id<'pushToken'>[],
): Promise<ReadonlyMap<Id<'pushToken'>, PushDevice>> => {
  const keys = ids.map((id) => KEYS.pushToken(organizationId, id));
  const isFew = ids.length <= MAX_DEVICES_OF_PERSON;
  const rows = await (isFew ? coalescedRead(table, keys) : table.getMany(keys, { consistent: true }));
  return new Map(rows.flatMap((row) => (row ? [withoutPerson(row)] : [])).map((device) => [device.id, device]));
};

/** The ids of the devices in an index partition, last registered first. */
const registeredLast = async (
  table: Table,
  range: Pick<QueryRange, 'index' | 'partition'>,
): Promise<readonly Id<'pushToken'>[]> => {
  const { rows } = await table.query({ ...range, newestFirst: true, only: ['pk', 'sk'], limit: MAX_DEVICES_OF_PERSON });
  return rows.map(PARSE_KEY.pushToken);
};

/** The ids of a contact's devices that are not retired, at most as many as a person may have. Eventually consistent. */
export const devicesOfContact = (table: Table, contactId: Id<'contact'>): Promise<readonly Id<'pushToken'>[]> =>
  registeredLast(table, { index: 'gsi2', partition: INDEX_KEYS.pushTokensOfContact(contactId, '', '').gsi2pk });

/** The ids of devices whose id or token is `to`, or that belong to the person or contact `to`. */
const candidateIds = async (
  table: Table,
  organizationId: Id<'organization'>,
  apps: readonly Id<'pushApp'>[],
  to: string,
): Promise<readonly Id<'pushToken'>[]> => {
  if (isId('pushToken', to)) return [to];
  if (isId('contact', to)) return devicesOfContact(table, to);
  const partition = INDEX_KEYS.pushTokensOfPerson(organizationId, to, '', '').gsi3pk;
  const ofPerson = await registeredLast(table, { index: 'gsi3', partition });
  return [...apps.map((appId) => deviceIdOf(organizationId, appId, to)), ...ofPerson];
};

/**
 * The devices of a person (PushPlanPorts.devicesOf). At most three round trips: the apps, the index of the person, and the devices
 * themselves, which are read consistently.
 */
export const devicesOfPerson = async (
  table: Table,
  listApps: AppStore['list'],
  organizationId: Id<'organization'>,
  to: string,
): Promise<readonly PushDevice[]> => {
  const apps = (await listApps(organizationId)).map(({ id }) => id);
  if (apps.length === 0) return [];
  const ids = await candidateIds(table, organizationId, apps, to);
  const found = [...(await readPushDevices(table, organizationId, [...new Set(ids)])).values()];
  const usable = found.filter(({ retiredAt, appId }) => retiredAt === undefined && apps.includes(appId));
  return usable.slice(0, MAX_DEVICES_OF_PERSON);
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
        remove: ['gsi2pk', 'gsi2sk', 'gsi3pk', 'gsi3sk'],
        when: { text: '#updatedAt <= :at', values: { at: isoTime(at) } },
      }),
    ),
  );
};
