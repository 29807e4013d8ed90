import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { Id } from '../domain/ids.ts';
import type { PushDevice } from '../domain/push/device.ts';
import type { DeviceStore } from '../domain/push/devices.ts';
import { PUSH_PLATFORMS } from '../domain/push/transport.ts';
import type { Vault } from '../domain/secrets.ts';
import { isoTime } from '../domain/time.ts';
import { KEYS } from './access-patterns.ts';
import type { Row, Table } from './table.ts';

const PURPOSE = 'push-device';
const moment = z.iso.datetime().transform((text) => Date.parse(text));
const optionalText = z.string().optional();

/** Who is behind a device: sealed together, opened only to be shown. */
const person = z.object({ userName: optionalText, userEmail: optionalText, userPhone: optionalText });

const deviceRow = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  appId: z.string(),
  platform: z.enum(PUSH_PLATFORMS),
  token: z.string(),
  p256dh: optionalText,
  auth: optionalText,
  externalId: optionalText,
  contactId: optionalText,
  person: optionalText,
  deviceName: optionalText,
  topics: z.array(z.string()).optional(),
  optedIn: z.boolean(),
  optedOutAt: moment.optional(),
  retiredAt: moment.optional(),
  createdAt: moment,
  updatedAt: moment,
  version: z.int(),
});

/** A device as sends need it: without the person behind it. */
const parseDevice = (row: Row): PushDevice => {
  const { id, org, appId, person: _, ...fields } = deviceRow.parse(row);
  return {
    ...fields,
    id: id as Id<'pushToken'>,
    organizationId: org as Id<'organization'>,
    appId: appId as Id<'pushApp'>,
  };
};

/** A device's row; `sealed` is the person behind it. */
export const pushDeviceRow = (device: PushDevice, sealed?: string) => {
  const { organizationId, userName: _, userEmail: __, userPhone: ___, topics, ...fields } = device;
  const { optedOutAt, retiredAt, createdAt, updatedAt, ...rest } = fields;
  return {
    ...KEYS.pushToken(organizationId, device.id),
    ...rest,
    org: organizationId,
    topics: topics && [...topics],
    person: sealed,
    optedOutAt: optedOutAt === undefined ? undefined : isoTime(optedOutAt),
    retiredAt: retiredAt === undefined ? undefined : isoTime(retiredAt),
    createdAt: isoTime(createdAt),
    updatedAt: isoTime(updatedAt),
  };
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
    const device = parseDevice(row);
    if (row.person === undefined) return device;
    const opened = (await vault()).open(PURPOSE, organizationId, z.string().parse(row.person), id);
    return { ...device, ...person.parse(JSON.parse(opened)) };
  },
  async put(device, before) {
    const told = personOf(device);
    const sealed =
      told === undefined ? undefined : (await vault()).seal(PURPOSE, device.organizationId, told, device.id);
    const { ok } = await table.write({
      put: pushDeviceRow(device, sealed),
      when: before
        ? { text: '#version = :version', values: { version: before.version } }
        : { text: 'attribute_not_exists(#pk)' },
    });
    return ok;
  },
});

/** Devices by their ids, those that there are, without the persons behind them. */
export const readPushDevices = async (
  table: Table,
  organizationId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, PushDevice>> => {
  const rows = await table.getMany(
    ids.map((id) => KEYS.pushToken(organizationId, id)),
    { consistent: true },
  );
  return new Map(rows.flatMap((row) => (row ? [parseDevice(row)] : [])).map((device) => [device.id, device]));
};

/** Retires devices whose tokens reach nobody any more, but for those that were registered anew since `at` (ms). */
export const retirePushDevices = async (
  table: Table,
  organizationId: string,
  ids: readonly string[],
  at: number,
): Promise<void> => {
  await Promise.all(
    ids.map((id) =>
      table.write({
        update: KEYS.pushToken(organizationId, id),
        set: { retiredAt: isoTime(at) },
        add: { version: 1 },
        when: { text: '#updatedAt <= :at', values: { at: isoTime(at) } },
      }),
    ),
  );
};
