import type { Tenant } from '../../core/actor.ts';
import { type Id, isId } from '../../core/ids.ts';
import { asCoins, type Coins } from '../../core/money.ts';
import { definedFields, definedTimes } from '../../core/patch.ts';
import { isoTime } from '../../core/time.ts';
import { MESSAGE_ORIGINS, type MessageOf, type MessageOrigin, type MessageStatus } from '../../message/message.ts';
import { shownTexts } from '../../message/shown-texts.ts';
import type { AudienceDevice } from './device.ts';
import { notificationOf, type PushContent } from './notification.ts';
import { PUSH_PLATFORMS, type PushPlatform } from './transport.ts';

/** `queued` until it is due, `sending` while devices remain, `failed` if no push service accepted it. */
export const PUSH_STATUSES = ['queued', 'sending', 'sent', 'failed'] as const;
export type PushStatus = (typeof PUSH_STATUSES)[number];

/** The origins of a push message (docs/spec/push.md#push-message-shape). */
export const PUSH_ORIGINS = MESSAGE_ORIGINS;
export type PushOrigin = MessageOrigin;

/** Kinds of price per device, which are push's routes in the price table (docs/spec/push.md#push-price). */
export const RATE_KINDS = ['simple', 'rich', 'silent'] as const;
export type RateKind = (typeof RATE_KINDS)[number];

/** The audience of every opted-in device. */
export const ALL_OPT_IN = 'all_opt_in';

/** An audience: contacts (`all_opt_in`, a saved segment or a static list), or devices by id. */
export type AudienceSelector = { readonly segment: string } | { readonly tokenIds: readonly Id<'pushToken'>[] };

/** The recipient of a message to listed devices, where another names its segment. */
export const LISTED_DEVICES = 'tokenIds';

/** Whether a recipient is an audience, and therefore not personal data. */
export const isAudience = (to: string): boolean =>
  to === ALL_OPT_IN || to === LISTED_DEVICES || isId('segment', to) || isId('list', to);

/** Size limits of a push message. */
export const PUSH_LIMITS = {
  title: 256,
  body: 2_000,
  url: 2_048,
  label: 64,
  /** No platform shows more at once (Android, Notification.Builder.addAction). */
  actions: 3,
  tokenIds: 10_000,
  /** Size as JSON, in bytes: push services accept 4,096 including their own fields (FCM, APNs, RFC 8030). */
  contentBytes: 3_500,
} as const;

/** Whether the content fits into what push services accept. */
export const fitsPushLimit = ({ title, body, deepLink, imageUrl, actions }: PushContent): boolean =>
  Buffer.byteLength(JSON.stringify({ title, body, deepLink, imageUrl, actions })) <= PUSH_LIMITS.contentBytes;
export const PUSH_TOO_LARGE = `must keep the visible content within ${PUSH_LIMITS.contentBytes} bytes`;

/** Devices of a platform that the push service accepted, and those that failed. */
export interface Outcomes {
  readonly delivered: number;
  readonly failures: number;
}
export type Tally = Readonly<Record<PushPlatform, Outcomes>>;
export type Opens = Readonly<Record<PushPlatform, number>>;

/** A push message: the record of a message, as its devices and its own operations see it. Times in ms. */
export interface PushMessage extends Tenant {
  /** The message itself, with its hold, fence and timeline. */
  readonly record: MessageOf<'push'>;
  readonly id: Id<'message'>;
  readonly status: PushStatus;
  readonly origin: PushOrigin;
  readonly content: PushContent;
  readonly platforms: readonly PushPlatform[];
  /** The segment sent to; absent if devices were listed or a person was named. */
  readonly segment?: string | undefined;
  /** The devices of a message to one person, whose rows are written when it is sent; absent if an audience's rows exist already. */
  readonly devices?: readonly AudienceDevice[] | undefined;
  readonly rateKind: RateKind;
  /** Number of devices. */
  readonly reach: number;
  /** Number of chunks in each shard; chunks beyond it were written by a slower, abandoned attempt and are ignored. */
  readonly extents: readonly number[];
  readonly scheduledAt?: number | undefined;
  /** The new send time if quiet hours deferred it. */
  readonly quietDeferredTo?: number | undefined;
  readonly createdAt: number;
  /** The result, once every device is resolved. */
  readonly tally?: Tally | undefined;
  /** When its last device was resolved. */
  readonly sentAt?: number | undefined;
}

const STATUS_OF = { queued: 'queued', sending: 'sending', failed: 'failed' } as const satisfies Partial<
  Record<MessageStatus, PushStatus>
>;

/** A push message of its record; `tally` is the result of its devices once all of them are resolved. */
export const pushMessageOf = (record: MessageOf<'push'>, tally: Tally): PushMessage => {
  const { id, organizationId, env, content, units, scheduledAt, deferredTo, createdAt } = record;
  const status = record.status in STATUS_OF ? STATUS_OF[record.status as keyof typeof STATUS_OF] : 'sent';
  const sentAt = record.sentAt ?? record.failedAt;
  return {
    record,
    id,
    organizationId,
    env,
    status,
    origin: record.origin ?? 'api',
    content: notificationOf(content) ?? { title: '', body: '' },
    platforms: content.platforms,
    segment: content.segment,
    devices: content.devices,
    rateKind: record.route as RateKind,
    reach: units,
    extents: content.extents,
    scheduledAt,
    quietDeferredTo: deferredTo,
    createdAt,
    ...(sentAt === undefined ? {} : { tally, sentAt }),
  };
};

export const noTally = (): Tally => byPlatform(() => ({ delivered: 0, failures: 0 }));
export const noOpens = (): Opens => byPlatform(() => 0);

export const byPlatform = <T>(of: (platform: PushPlatform) => T): Readonly<Record<PushPlatform, T>> =>
  Object.fromEntries(PUSH_PLATFORMS.map((platform) => [platform, of(platform)])) as Record<PushPlatform, T>;

export const sumTallies = (tallies: readonly Tally[]): Tally =>
  byPlatform((platform) => ({
    delivered: tallies.reduce((sum, tally) => sum + tally[platform].delivered, 0),
    failures: tallies.reduce((sum, tally) => sum + tally[platform].failures, 0),
  }));

const totalOf = (tally: Tally, what: keyof Outcomes): number =>
  PUSH_PLATFORMS.reduce((sum, platform) => sum + tally[platform][what], 0);
export const deliveredOf = (tally: Tally): number => totalOf(tally, 'delivered');
export const failuresOf = (tally: Tally): number => totalOf(tally, 'failures');

/** `silent` if it shows nothing, `rich` with an image or button, otherwise `simple` (docs/spec/push.md#push-price). */
export const rateKindOf = (content: Pick<PushContent, 'imageUrl' | 'actions' | 'silent'>): RateKind => {
  if (content.silent) return 'silent';
  return content.imageUrl !== undefined || (content.actions?.length ?? 0) > 0 ? 'rich' : 'simple';
};

export const chunksOf = ({ extents }: Pick<PushMessage, 'extents'>): number =>
  extents.reduce((sum, extent) => sum + extent, 0);

/** Whether a chunk belongs to the message. */
export const isPartOf = (
  { extents }: Pick<PushMessage, 'extents'>,
  { shard, number }: { readonly shard: number; readonly number: number },
): boolean => number < (extents[shard] ?? 0);

/** The price of a number of devices of a message, in coins: all cost the same. */
export const coinsOfDevices = ({ record, reach }: Pick<PushMessage, 'record' | 'reach'>, devices: number): Coins =>
  asCoins(reach === 0 ? 0 : Math.floor((record.coins * devices) / reach));

/** A push message as the API returns it, with the results of its devices (docs/spec/push.md#push-message-shape). Addresses in the texts of automations are masked without pii:full. */
export const pushMessageView = (message: PushMessage, tally: Tally, opens: Opens, unmasked: boolean) => {
  const { title, body, deepLink, imageUrl, actions, silent } = shownTexts(message.record, message.content, unmasked);
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
    ...definedFields({ deepLink, imageUrl, actions: actions?.map((action) => ({ ...action })), silent }),
    platforms: [...message.platforms],
    audience: message.segment === undefined ? { tokens: message.reach } : { segment: message.segment },
    rateKind: message.rateKind,
    ...definedTimes({ scheduledAt, quietDeferredTo }),
    billing: { coins: message.record.coins, chargedCoins: coinsOfDevices(message, delivered) },
    metrics: { reach: message.reach, delivered, opened, failures: failuresOf(tally) },
    breakdown: Object.fromEntries(
      message.platforms.map((platform) => [platform, { ...tally[platform], opened: opens[platform] }]),
    ),
    createdAt: isoTime(message.createdAt),
    ...definedTimes({ sentAt }),
  };
};
