import type { AudienceDevice } from '../channels/push/device.ts';
import { ALL_OPT_IN, type AudienceSelector } from '../channels/push/message.ts';
import type { PushPlatform } from '../channels/push/transport.ts';
import type { Tenant } from '../core/actor.ts';
import type { Id } from '../core/ids.ts';

/** The devices that a send reaches on the requested platforms: opted in, not retired, of a registered app (docs/spec/push.md#audience). */
export interface Audience {
  readonly count: () => Promise<number>;
  /**
   * Pages of a shard's devices in the order of their ids, starting after `after`. A device never changes its shard, so concurrent changes of
   * the audience never yield a device twice.
   */
  devices(shard: number, after: Id<'pushToken'> | undefined): AsyncIterable<readonly AudienceDevice[]>;
}

/** Storage of audiences. */
export interface AudienceSource {
  readonly shards: number;
  everyone(tenant: Tenant, platforms: readonly PushPlatform[]): Promise<Audience>;
  named(tenant: Tenant, platforms: readonly PushPlatform[], tokenIds: readonly Id<'pushToken'>[]): Promise<Audience>;
  /** The devices of the contacts in a saved segment or a static list; undefined if the organization has none with this id. */
  contacts(tenant: Tenant, platforms: readonly PushPlatform[], id: string): Promise<Audience | undefined>;
}

/** The audience that a request selects; every opted-in device by default. */
export const audienceSelector = ({
  segment,
  tokenIds,
}: {
  readonly segment?: string | undefined;
  readonly tokenIds?: readonly Id<'pushToken'>[] | undefined;
}): AudienceSelector => (tokenIds === undefined ? { segment: segment ?? ALL_OPT_IN } : { tokenIds });

/** The audience of a selector; undefined for an unknown segment or list. */
export const audienceOf = (
  source: AudienceSource,
  tenant: Tenant,
  platforms: readonly PushPlatform[],
  selector: AudienceSelector,
): Promise<Audience | undefined> => {
  if ('tokenIds' in selector) return source.named(tenant, platforms, selector.tokenIds);
  return selector.segment === ALL_OPT_IN
    ? source.everyone(tenant, platforms)
    : source.contacts(tenant, platforms, selector.segment);
};
