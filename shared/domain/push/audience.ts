import type { Tenant } from '../messages/plan.ts';
import type { AudienceDevice } from './device.ts';
import { ALL_OPT_IN, type AudienceWish } from './message.ts';
import type { PushPlatform } from './transport.ts';

/** The devices that a send reaches, of the wished platforms only: opted in, not retired, of an app that is still registered. */
export interface Audience {
  readonly count: () => Promise<number>;
  /**
   * The devices of a shard in the order of their ids, those after one of them, as they are read. A device belongs to one shard for
   * ever: an audience that moves meanwhile never shows one twice.
   */
  devices(shard: number, after: string | undefined): AsyncIterable<readonly AudienceDevice[]>;
}

/** Where audiences come from. */
export interface AudienceSource {
  readonly shards: number;
  everyone(tenant: Tenant, platforms: readonly PushPlatform[]): Promise<Audience>;
  named(tenant: Tenant, platforms: readonly PushPlatform[], tokenIds: readonly string[]): Promise<Audience>;
  /** The devices of a saved segment's contacts; undefined when the organization has no such segment. */
  segment(tenant: Tenant, platforms: readonly PushPlatform[], id: string): Promise<Audience | undefined>;
}

/** Whom a request wishes to reach: everybody opted in where it does not say. */
export const wishOf = ({
  segment,
  tokenIds,
}: {
  readonly segment?: string | undefined;
  readonly tokenIds?: readonly string[] | undefined;
}): AudienceWish => (tokenIds === undefined ? { segment: segment ?? ALL_OPT_IN } : { tokenIds });

/** The audience that is wished; undefined when it names a segment that there is not. */
export const audienceOf = (
  source: AudienceSource,
  tenant: Tenant,
  platforms: readonly PushPlatform[],
  wish: AudienceWish,
): Promise<Audience | undefined> => {
  if ('tokenIds' in wish) return source.named(tenant, platforms, wish.tokenIds);
  return wish.segment === ALL_OPT_IN
    ? source.everyone(tenant, platforms)
    : source.segment(tenant, platforms, wish.segment);
};
