import * as z from 'zod';
import type { Id } from '../domain/ids.ts';
import type { Tenant } from '../domain/messages/plan.ts';
import type { AppStore } from '../domain/push/app.ts';
import type { Audience, AudienceSource } from '../domain/push/audience.ts';
import type { AudienceDevice, PushDevice } from '../domain/push/device.ts';
import { PUSH_PLATFORMS, type PushPlatform } from '../domain/push/transport.ts';
import { KEYS, PUSH_SHARDS, pushTokenPartition, shardOf } from './access-patterns.ts';
import type { Condition } from './expressions.ts';
import { readPushDevices } from './push-devices.ts';
import type { QueryRange, Table } from './table.ts';

/** The id in a device's sort key. */
const PREFIX = KEYS.pushToken('', '').sk;
const row = z.object({ sk: z.string().startsWith(PREFIX), platform: z.enum(PUSH_PLATFORMS) });

const NOBODY: Audience = {
  count: async () => 0,
  async *devices() {},
};

/** That an attribute has one of these values. */
export const oneOf = (name: string, values: readonly string[]): Condition => ({
  text: `#${name} IN (${values.map((_, at) => `:${name}${at}`).join(', ')})`,
  values: Object.fromEntries(values.map((value, at) => [`${name}${at}`, value])),
});

/** Devices that sends reach. */
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
        yield page.rows.map((found): AudienceDevice => {
          const { sk, platform } = row.parse(found);
          return { id: sk.slice(PREFIX.length) as Id<'pushToken'>, platform };
        });
        startKey = page.nextKey;
      } while (startKey);
    },
  };
};

/** Ids that one read asks for. */
const READ_AT_ONCE = 100;

const named = (
  table: Table,
  { organizationId }: Tenant,
  ids: readonly string[],
  takes: (device: PushDevice) => boolean,
): Audience => {
  const sorted = [...new Set(ids)].sort();
  const devices: Audience['devices'] = async function* (shard, after) {
    const own = sorted.filter((id) => shardOf(id, PUSH_SHARDS) === shard && (after === undefined || id > after));
    for (let from = 0; from < own.length; from += READ_AT_ONCE) {
      const found = await readPushDevices(table, organizationId, own.slice(from, from + READ_AT_ONCE));
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

/** Where push audiences come from: the devices of a stage. No segments are saved in it yet: each is unknown. */
export const audienceSource = (table: Table, apps: AppStore): AudienceSource => {
  const appsOf = async ({ organizationId }: Tenant) => (await apps.list(organizationId)).map(({ id }) => id);
  return {
    shards: PUSH_SHARDS,
    async everyone(tenant, platforms) {
      const theirs = await appsOf(tenant);
      return theirs.length === 0 ? NOBODY : everyone(table, tenant, reachable(platforms, theirs));
    },
    async named(tenant, platforms, tokenIds) {
      const theirs = new Set<string>(await appsOf(tenant));
      return named(
        table,
        tenant,
        tokenIds,
        ({ optedIn, retiredAt, platform, appId }) =>
          optedIn && retiredAt === undefined && platforms.includes(platform) && theirs.has(appId),
      );
    },
    segment: async () => undefined,
  };
};
