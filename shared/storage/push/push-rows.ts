import * as z from 'zod';
import {
  DISPATCH_STATUSES,
  type FailureReason,
  type PushChunk,
  type PushDispatchRecord,
} from '../../domain/channels/push/dispatch.ts';
import {
  byPlatform,
  type Opens,
  PUSH_ORIGINS,
  PUSH_STATUSES,
  type PushContent,
  type PushMessage,
  RATE_KINDS,
  type Tally,
} from '../../domain/channels/push/message.ts';
import { PUSH_PLATFORMS } from '../../domain/channels/push/transport.ts';
import { ENVIRONMENTS } from '../../domain/core/actor.ts';
import { isoTime } from '../../domain/core/time.ts';
import { INDEX_KEYS, KEYS } from '../access-patterns.ts';
import { coins, id, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';

const text = z.string().optional();
const sum = z.int().default(0);

/** How long the single devices of a push message are kept, from its creation, in s; the counts stay. */
export const KEEP_SECONDS = 180 * 24 * 3600;

/** Counts by platform as separate attributes, so that updates can add to them: `ios_delivered`. */
const tallyShape = z.object(
  Object.fromEntries(
    PUSH_PLATFORMS.flatMap((name) => [`${name}_delivered`, `${name}_failures`]).map((name) => [name, sum]),
  ),
);
/** The counts on a row. */
export const tallyOf = (row: Row): Tally => {
  const counts = tallyShape.parse(row);
  return byPlatform((name) => ({
    delivered: counts[`${name}_delivered`] ?? 0,
    failures: counts[`${name}_failures`] ?? 0,
  }));
};
/** The counts as attributes; zeros are left out. */
export const tallyAttributes = (tally: Tally): Record<string, number> =>
  Object.fromEntries(
    PUSH_PLATFORMS.flatMap((name): [string, number][] => [
      [`${name}_delivered`, tally[name].delivered],
      [`${name}_failures`, tally[name].failures],
    ]).filter(([, count]) => count !== 0),
  );

/** Content fields are attributes of the row; the outcome is stored as counts. */
interface StoredPushMessage extends Omit<PushMessage, 'content' | 'tally'>, PushContent {}
export const pushMessageRows = defineRow<StoredPushMessage>()({
  attributes: {
    id: id('message'),
    organizationId: id('organization'),
    env: z.enum(ENVIRONMENTS),
    status: z.enum(PUSH_STATUSES),
    origin: z.enum(PUSH_ORIGINS),
    title: z.string(),
    body: z.string(),
    deepLink: text,
    imageUrl: text,
    actions: z.array(z.object({ label: z.string(), link: text })).optional(),
    silent: z.boolean().optional(),
    platforms: z.array(z.enum(PUSH_PLATFORMS)),
    segment: text,
    rateKind: z.enum(RATE_KINDS),
    coinsEach: coins,
    reach: z.int(),
    extents: z.array(z.int()),
    done: z.int(),
    scheduledAt: time.optional(),
    quietDeferredTo: time.optional(),
    leavesAt: z.int(),
    createdAt: time,
    sentAt: time.optional(),
  },
  rename: { organizationId: 'org' },
  key: (message) => KEYS.pushMessage(message.id),
  index: ({ id, organizationId, createdAt }) => INDEX_KEYS.pushMessagesOf(organizationId, isoTime(createdAt), id),
});

/** Reads a push message's row. */
export const readPushMessageRow = (row: Row): PushMessage => {
  const { title, body, deepLink, imageUrl, actions, silent, ...message } = pushMessageRows.read(row);
  const content = { title, body, deepLink, imageUrl, actions, silent };
  return { ...message, content, ...(message.sentAt === undefined ? {} : { tally: tallyOf(row) }) };
};

/** A new push message's row: due at its send time. */
export const newPushMessageRow = ({ content, ...message }: PushMessage): Row => ({
  ...pushMessageRows.write({ ...message, ...content }),
  ...INDEX_KEYS.due('send_push', message.id, message.leavesAt),
});

export const pushChunkRows = defineRow<Omit<PushChunk, 'tally'>>()({
  attributes: {
    messageId: id('message'),
    shard: z.int(),
    number: z.int(),
    attempt: z.int(),
    devices: z.int(),
    last: id('pushToken'),
    state: z.enum(['open', 'done']),
    fence: z.int(),
    leaseUntil: z.int(),
    nextAt: z.int(),
    pass: z.int(),
    cursor: z.int(),
    step: z.int(),
  },
  key: (chunk) => KEYS.pushChunk(chunk.messageId, chunk.shard, chunk.number),
});

/** Reads a chunk's row. */
export const readPushChunk = (row: Row): PushChunk => ({ ...pushChunkRows.read(row), tally: tallyOf(row) });

const REASONS = [
  'unregistered',
  'opted_out',
  'app_deleted',
  'content_rejected',
  'blacklisted',
  'undeliverable',
  'credentials',
  'provider_credit',
  'throttled',
  'unavailable',
  'indeterminate',
] as const satisfies readonly FailureReason[];

/** Dispatches: the devices of a push message. */
export const pushDispatchRows = defineRow<PushDispatchRecord>()({
  attributes: {
    id: id('pushDispatch'),
    organizationId: id('organization'),
    messageId: id('message'),
    tokenId: id('pushToken'),
    platform: z.enum(PUSH_PLATFORMS),
    status: z.enum(DISPATCH_STATUSES),
    attempts: z.int(),
    reason: z.enum(REASONS).optional(),
    openedAt: time.optional(),
  },
  rename: { organizationId: 'org' },
  key: (dispatch) => KEYS.pushDispatch(dispatch.id),
});

const opens = z.object({ ios: sum, android: sum, web: sum });
/** The number of devices that opened, from one shard's row. */
export const opensOf = (row: Row): Opens => opens.parse(row);
