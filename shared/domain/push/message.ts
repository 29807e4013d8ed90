import type { Environment } from '../actor.ts';
import type { Id } from '../ids.ts';
import { asCoins, type Coins } from '../money.ts';
import { isoTime } from '../time.ts';
import { PUSH_PLATFORMS, type PushAction, type PushNotification, type PushPlatform } from './transport.ts';

/** Where a push message stands: `queued` until its moment, `sending` while devices wait, `failed` when no device took it. */
export const PUSH_STATUSES = ['queued', 'sending', 'sent', 'failed'] as const;
export type PushStatus = (typeof PUSH_STATUSES)[number];

/** Who made a push message (interface 4.9). */
export const PUSH_ORIGINS = ['composer', 'api', 'automation'] as const;
export type PushOrigin = (typeof PUSH_ORIGINS)[number];

/** What a device is priced by: the routes of push in the price table (interface 4.9). */
export const RATE_KINDS = ['simple', 'rich', 'silent'] as const;
export type RateKind = (typeof RATE_KINDS)[number];

/** The audience that is every opted-in device. */
export const ALL_OPT_IN = 'all_opt_in';

/** What is asked of an audience: a segment (`all_opt_in` or a saved one), or devices by their ids. */
export type AudienceWish = { readonly segment: string } | { readonly tokenIds: readonly string[] };

/** Sizes of what a push message says. */
export const PUSH_LIMITS = {
  title: 256,
  body: 2_000,
  url: 2_048,
  label: 64,
  /** Three is the most that a platform shows at once (Android, Notification.Builder.addAction). */
  actions: 3,
  tokenIds: 10_000,
  /** What it says in bytes of JSON: push services take 4,096 with their own fields (FCM, APNs, RFC 8030). */
  contentBytes: 3_500,
} as const;

/** What a push message says. */
export interface PushContent extends Pick<PushNotification, 'title' | 'body'> {
  readonly deepLink?: string | undefined;
  readonly imageUrl?: string | undefined;
  readonly actions?: readonly PushAction[] | undefined;
  /** Shows nothing: the app receives it as data. */
  readonly silent?: boolean | undefined;
}

/** Whether push services carry what a push message says. */
export const isCarried = ({ title, body, deepLink, imageUrl, actions }: PushContent): boolean =>
  Buffer.byteLength(JSON.stringify({ title, body, deepLink, imageUrl, actions })) <= PUSH_LIMITS.contentBytes;
export const NOT_CARRIED = `must leave all that is shown within ${PUSH_LIMITS.contentBytes} bytes`;

/** How many devices of a platform the provider took, and how many it did not. */
export interface Outcomes {
  readonly delivered: number;
  readonly failures: number;
}
export type Tally = Readonly<Record<PushPlatform, Outcomes>>;
export type Opens = Readonly<Record<PushPlatform, number>>;

/** A push message as it is stored. Times are ms. */
export interface PushMessage {
  readonly id: Id<'message'>;
  readonly organizationId: Id<'organization'>;
  readonly env: Environment;
  readonly status: PushStatus;
  readonly origin: PushOrigin;
  readonly content: PushContent;
  readonly platforms: readonly PushPlatform[];
  /** The segment that it went to; absent where devices were named. */
  readonly segment?: string | undefined;
  readonly rateKind: RateKind;
  /** The price of one device. */
  readonly coinsEach: Coins;
  /** How many devices it was made for. */
  readonly reach: number;
  /** How many chunks of each shard it is made of: what a slower attempt to make it still wrote is no part of it. */
  readonly extents: readonly number[];
  /** Chunks whose devices are all resolved. */
  readonly done: number;
  readonly scheduledAt?: number | undefined;
  /** When it leaves after all, where quiet hours moved it. */
  readonly quietDeferredTo?: number | undefined;
  readonly leavesAt: number;
  readonly createdAt: number;
  /** What came of it, once every device is resolved. */
  readonly tally?: Tally | undefined;
  readonly sentAt?: number | undefined;
}

export const noTally = (): Tally => byPlatform(() => ({ delivered: 0, failures: 0 }));
export const noOpens = (): Opens => byPlatform(() => 0);

/** A value for each platform. */
export const byPlatform = <T>(of: (platform: PushPlatform) => T): Readonly<Record<PushPlatform, T>> =>
  Object.fromEntries(PUSH_PLATFORMS.map((platform) => [platform, of(platform)])) as Record<PushPlatform, T>;

/** The sum of tallies. */
export const sumTallies = (tallies: readonly Tally[]): Tally =>
  byPlatform((platform) => ({
    delivered: tallies.reduce((sum, tally) => sum + tally[platform].delivered, 0),
    failures: tallies.reduce((sum, tally) => sum + tally[platform].failures, 0),
  }));

const totalOf = (tally: Tally, what: keyof Outcomes): number =>
  PUSH_PLATFORMS.reduce((sum, platform) => sum + tally[platform][what], 0);
export const deliveredOf = (tally: Tally): number => totalOf(tally, 'delivered');
export const failuresOf = (tally: Tally): number => totalOf(tally, 'failures');

/** interface 4.9: rich with an image or a button, silent when it shows nothing, otherwise simple. */
export const rateKindOf = (content: Pick<PushContent, 'imageUrl' | 'actions' | 'silent'>): RateKind => {
  if (content.silent) return 'silent';
  return content.imageUrl !== undefined || (content.actions?.length ?? 0) > 0 ? 'rich' : 'simple';
};

/** How many chunks a message is made of. */
export const chunksOf = ({ extents }: Pick<PushMessage, 'extents'>): number =>
  extents.reduce((sum, extent) => sum + extent, 0);

/** Whether a chunk is one of a message's. */
export const isPartOf = (
  { extents }: Pick<PushMessage, 'extents'>,
  { shard, number }: { readonly shard: number; readonly number: number },
): boolean => number < (extents[shard] ?? 0);

/** What the whole message holds of its wallet while devices wait, in coins. */
export const priceOf = ({ reach, coinsEach }: Pick<PushMessage, 'reach' | 'coinsEach'>): Coins =>
  asCoins(reach * coinsEach);

/** A push message as the interface shows it (decisions, part 6), with where its devices stand. */
export const pushMessageView = (message: PushMessage, tally: Tally, opens: Opens) => {
  const { title, body, deepLink, imageUrl, actions, silent } = message.content;
  const { scheduledAt, quietDeferredTo, sentAt } = message;
  const opened = PUSH_PLATFORMS.reduce((sum, platform) => sum + opens[platform], 0);
  const delivered = deliveredOf(tally);
  return {
    id: message.id,
    env: message.env,
    status: message.status,
    origin: message.origin,
    title,
    body,
    ...(deepLink === undefined ? {} : { deepLink }),
    ...(imageUrl === undefined ? {} : { imageUrl }),
    ...(actions === undefined ? {} : { actions: actions.map((action) => ({ ...action })) }),
    ...(silent === undefined ? {} : { silent }),
    platforms: [...message.platforms],
    audience: message.segment === undefined ? { tokens: message.reach } : { segment: message.segment },
    rateKind: message.rateKind,
    ...(scheduledAt === undefined ? {} : { scheduledAt: isoTime(scheduledAt) }),
    ...(quietDeferredTo === undefined ? {} : { quietDeferredTo: isoTime(quietDeferredTo) }),
    billing: { coins: priceOf(message), chargedCoins: delivered * message.coinsEach },
    metrics: { reach: message.reach, delivered, opened, failures: failuresOf(tally) },
    breakdown: Object.fromEntries(
      message.platforms.map((platform) => [platform, { ...tally[platform], opened: opens[platform] }]),
    ),
    createdAt: isoTime(message.createdAt),
    ...(sentAt === undefined ? {} : { sentAt: isoTime(sentAt) }),
  };
};
