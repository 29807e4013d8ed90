import type { AppStore } from '../../domain/channels/push/app.ts';
import type { AudienceDevice, PushDevice } from '../../domain/channels/push/device.ts';
import type { PushPlatform } from '../../domain/channels/push/transport.ts';
import type { Tenant } from '../../domain/core/actor.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { Audience, AudienceSource } from '../../domain/push-messages/audience.ts';
import { KEYS } from '../access-patterns.ts';
import { oneOf } from '../client/conditions.ts';
import type { Condition } from '../client/expressions.ts';
import type { QueryRange, Table } from '../client/table.ts';
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

/** The audiences of push messages: the devices of a stage. It has no saved segments yet: every segment is unknown. */
export const audienceSource = (table: Table, apps: AppStore): AudienceSource => {
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
    segment: async () => undefined,
  };
};
