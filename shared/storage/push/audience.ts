import type { AppStore } from '../../domain/channels/push/app.ts';
import type { AudienceDevice, PushDevice } from '../../domain/channels/push/device.ts';
import type { PushPlatform } from '../../domain/channels/push/transport.ts';
import type { Tenant } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Audience, AudienceSource } from '../../domain/push-messages/audience.ts';
import type { Membership } from '../../domain/push-messages/membership.ts';
import { KEYS } from '../access-patterns.ts';
import { oneOf } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { QueryRange, Table } from '../client/table.ts';
import { readContact } from '../contacts/contacts.ts';
import { PARSE_KEY } from '../parse-key.ts';
import { pushTokenPartition } from '../partitions.ts';
import { PUSH_SHARDS, shardOf } from '../table-indexes.ts';
import { pushDeviceRows, readPushDevices } from './devices.ts';

const readPlatform = pushDeviceRows.pick('platform');

const EMPTY_AUDIENCE: Audience = {
  count: async () => 0,
  async *devices() {},
};

/** Condition: a device that sends can reach. */
const reachable = (platforms: readonly PushPlatform[], apps: readonly string[]): Condition => {
  const [platform, app] = [oneOf('platform', platforms), oneOf('appId', apps)];
  return {
    text: `#optedIn = :in AND attribute_not_exists(#retiredAt) AND ${platform.text} AND ${app.text}`,
    values: { in: true, ...platform.values, ...app.values },
  };
};

const everyone = (table: Table, { organizationId }: Tenant, filter: Condition): Audience => {
  const rangeOf = (shard: number): QueryRange => ({
    partition: pushTokenPartition(organizationId, shard),
    filter,
    consistent: true,
  });
  return {
    async count() {
      const shards = Array.from({ length: PUSH_SHARDS }, (_, shard) => table.count(rangeOf(shard)));
      return (await Promise.all(shards)).reduce((sum, count) => sum + count, 0);
    },
    async *devices(shard, after) {
      let startKey: QueryRange['startKey'] =
        after === undefined ? undefined : { ...KEYS.pushToken(organizationId, after) };
      do {
        const page = await table.query({ ...rangeOf(shard), only: ['sk', 'platform'], startKey });
        yield page.rows.map((row): AudienceDevice => ({ id: PARSE_KEY.pushToken(row), ...readPlatform(row) }));
        startKey = page.nextKey;
      } while (startKey);
    },
  };
};

/** Ids per read. */
const MAX_PER_READ = 100;

const readLinked = pushDeviceRows.pick('platform', 'contactId');

/** The devices whose contact is in a set. One read per contact, 100 per round trip. */
const takenDevices = async (
  table: Table,
  { organizationId }: Tenant,
  rows: readonly Row[],
  takes: Membership,
): Promise<AudienceDevice[]> => {
  const linked = rows.map((row) => ({ id: PARSE_KEY.pushToken(row), ...readLinked(row) }));
  const ids = [...new Set(linked.flatMap(({ contactId }) => contactId ?? []))];
  const contacts = await table.getMany(ids.map(KEYS.contact), { consistent: true });
  const taken = new Set(
    contacts.flatMap((row) => {
      const contact = row && readContact(row);
      return contact?.organizationId === organizationId && takes(contact) ? [contact.id] : [];
    }),
  );
  return linked.flatMap(({ id, platform, contactId }) => (contactId && taken.has(contactId) ? [{ id, platform }] : []));
};

/** The devices whose contact is in a set. Reads all devices, and the contact of each that has one. */
const ofContacts = (table: Table, tenant: Tenant, filter: Condition, takes: Membership): Audience => {
  const devices: Audience['devices'] = async function* (shard, after) {
    const partition = pushTokenPartition(tenant.organizationId, shard);
    let startKey: QueryRange['startKey'] =
      after === undefined ? undefined : { ...KEYS.pushToken(tenant.organizationId, after) };
    do {
      const range = { partition, filter, consistent: true, only: ['sk', 'platform', 'contactId'], startKey };
      const page = await table.query(range);
      yield await takenDevices(table, tenant, page.rows, takes);
      startKey = page.nextKey;
    } while (startKey);
  };
  return {
    devices,
    async count() {
      let count = 0;
      for (let shard = 0; shard < PUSH_SHARDS; shard++)
        for await (const page of devices(shard, undefined)) count += page.length;
      return count;
    },
  };
};

const named = (
  table: Table,
  { organizationId }: Tenant,
  ids: readonly Id<'pushToken'>[],
  takes: (device: PushDevice) => boolean,
): Audience => {
  const sorted = [...new Set(ids)].sort();
  const devices: Audience['devices'] = async function* (shard, after) {
    const own = sorted.filter((id) => shardOf(id, PUSH_SHARDS) === shard && (after === undefined || id > after));
    for (let from = 0; from < own.length; from += MAX_PER_READ) {
      const found = await readPushDevices(table, organizationId, own.slice(from, from + MAX_PER_READ));
      yield [...found.values()].filter(takes).map(({ id, platform }) => ({ id, platform }));
    }
  };
  return {
    devices,
    async count() {
      const found = await readPushDevices(table, organizationId, sorted);
      return [...found.values()].filter(takes).length;
    },
  };
};

/**
 * The audiences of push messages: the devices of a stage. `membershipOf`: the present members of a saved segment or a list; undefined for
 * an unknown one.
 */
export const audienceSource = (
  table: Table,
  apps: AppStore,
  membershipOf: (tenant: Tenant, id: string) => Promise<Membership | undefined>,
): AudienceSource => {
  const appsOf = async ({ organizationId }: Tenant) => (await apps.list(organizationId)).map(({ id }) => id);
  return {
    shards: PUSH_SHARDS,
    async everyone(tenant, platforms) {
      const appIds = await appsOf(tenant);
      return appIds.length === 0 ? EMPTY_AUDIENCE : everyone(table, tenant, reachable(platforms, appIds));
    },
    async named(tenant, platforms, tokenIds) {
      const appIds = new Set(await appsOf(tenant));
      return named(
        table,
        tenant,
        tokenIds,
        ({ optedIn, retiredAt, platform, appId }) =>
          optedIn && retiredAt === undefined && platforms.includes(platform) && appIds.has(appId),
      );
    },
    async contacts(tenant, platforms, id) {
      const [takes, appIds] = await Promise.all([membershipOf(tenant, id), appsOf(tenant)]);
      if (!takes) return undefined;
      return appIds.length === 0 ? EMPTY_AUDIENCE : ofContacts(table, tenant, reachable(platforms, appIds), takes);
    },
  };
};
