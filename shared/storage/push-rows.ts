import * as z from 'zod';
import { ENVIRONMENTS } from '../domain/actor.ts';
import type { Id } from '../domain/ids.ts';
import { asCoins } from '../domain/money.ts';
import {
  DISPATCH_STATUSES,
  type FailureReason,
  type PushChunk,
  type PushDispatchRecord,
} from '../domain/push/dispatch.ts';
import {
  byPlatform,
  type Opens,
  PUSH_ORIGINS,
  PUSH_STATUSES,
  type PushMessage,
  RATE_KINDS,
  type Tally,
} from '../domain/push/message.ts';
import { PUSH_PLATFORMS } from '../domain/push/transport.ts';
import { isoTime } from '../domain/time.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import type { Row } from './row.ts';

const moment = z.iso.datetime().transform((text) => Date.parse(text));
const optionalText = z.string().optional();
const sum = z.int().default(0);

/** How long the devices of a push message are told apart, from its creation, in s; its sums stay. */
export const KEEP_SECONDS = 180 * 24 * 3600;

const action = z.object({ label: z.string(), link: optionalText });
const messageRow = z.object({
  id: z.string(),
  org: z.string(),
  env: z.enum(ENVIRONMENTS),
  status: z.enum(PUSH_STATUSES),
  origin: z.enum(PUSH_ORIGINS),
  title: z.string(),
  body: z.string(),
  deepLink: optionalText,
  imageUrl: optionalText,
  actions: z.array(action).optional(),
  silent: z.boolean().optional(),
  platforms: z.array(z.enum(PUSH_PLATFORMS)),
  segment: optionalText,
  rateKind: z.enum(RATE_KINDS),
  coinsEach: z.int().transform(asCoins),
  reach: z.int(),
  extents: z.array(z.int()),
  done: z.int(),
  scheduledAt: moment.optional(),
  quietDeferredTo: moment.optional(),
  leavesAt: z.int(),
  createdAt: moment,
  sentAt: moment.optional(),
});

/** Counts by platform as attributes of their own, which are added to: `ios_delivered`. */
const tallyShape = z.object(
  Object.fromEntries(
    PUSH_PLATFORMS.flatMap((name) => [`${name}_delivered`, `${name}_failures`]).map((name) => [name, sum]),
  ),
);
/** The counts that stand on a row. */
export const tallyOf = (row: Row): Tally => {
  const counts = tallyShape.parse(row);
  return byPlatform((name) => ({
    delivered: counts[`${name}_delivered`] ?? 0,
    failures: counts[`${name}_failures`] ?? 0,
  }));
};
/** The same counts as attributes; without those that are 0. */
export const tallyAttributes = (tally: Tally): Record<string, number> =>
  Object.fromEntries(
    PUSH_PLATFORMS.flatMap((name): [string, number][] => [
      [`${name}_delivered`, tally[name].delivered],
      [`${name}_failures`, tally[name].failures],
    ]).filter(([, count]) => count !== 0),
  );

/** Reads a push message's row; every field is checked. */
export const parsePushMessage = (row: Row): PushMessage => {
  const parsed = messageRow.parse(row);
  const { id, org, title, body, deepLink, imageUrl, actions, silent, ...fields } = parsed;
  return {
    ...fields,
    id: id as Id<'message'>,
    organizationId: org as Id<'organization'>,
    content: { title, body, deepLink, imageUrl, actions, silent },
    ...(parsed.sentAt === undefined ? {} : { tally: tallyOf(row) }),
  };
};

const timeText = (at: number | undefined) => (at === undefined ? undefined : isoTime(at));

/** A push message as it is stored at first. */
export const pushMessageRow = (message: PushMessage) => {
  const { organizationId, content, tally, platforms, extents, ...rest } = message;
  const { scheduledAt, quietDeferredTo, createdAt, sentAt, ...fields } = rest;
  const iso = isoTime(createdAt);
  return {
    ...KEYS.pushMessage(message.id),
    ...FINDS.pushMessagesOf(organizationId, iso, message.id),
    ...(sentAt === undefined ? FINDS.due('send_push', message.id, message.leavesAt) : {}),
    ...fields,
    ...content,
    actions: content.actions?.map((each) => ({ ...each })),
    platforms: [...platforms],
    extents: [...extents],
    org: organizationId,
    ...(tally ? tallyAttributes(tally) : {}),
    scheduledAt: timeText(scheduledAt),
    quietDeferredTo: timeText(quietDeferredTo),
    sentAt: timeText(sentAt),
    createdAt: iso,
  };
};

const chunkRow = z.object({
  messageId: z.string(),
  shard: z.int(),
  number: z.int(),
  attempt: z.int(),
  devices: z.int(),
  last: z.string(),
  state: z.enum(['open', 'done']),
  fence: z.int(),
  leaseUntil: z.int(),
  nextAt: z.int(),
  pass: z.int(),
  cursor: z.int(),
  step: z.int(),
});

/** Reads a chunk's row; every field is checked. */
export const parsePushChunk = (row: Row): PushChunk => {
  const { messageId, ...fields } = chunkRow.parse(row);
  return { ...fields, messageId: messageId as Id<'message'>, tally: tallyOf(row) };
};

/** A chunk as it is stored at first. */
export const pushChunkRow = ({ tally: _, ...chunk }: PushChunk, expiresAt: number) => ({
  ...KEYS.pushChunk(chunk.messageId, chunk.shard, chunk.number),
  ...chunk,
  ttl: expiresAt,
});

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

const dispatchRow = z.object({
  id: z.string(),
  org: z.string(),
  messageId: z.string(),
  tokenId: z.string(),
  platform: z.enum(PUSH_PLATFORMS),
  status: z.enum(DISPATCH_STATUSES),
  attempts: z.int(),
  reason: z.enum(REASONS).optional(),
  openedAt: moment.optional(),
});

/** Reads a device's row of a push message; every field is checked. */
export const parseDispatch = (row: Row): PushDispatchRecord => {
  const { id, org, messageId, tokenId, ...fields } = dispatchRow.parse(row);
  return {
    ...fields,
    id: id as Id<'pushDispatch'>,
    organizationId: org as Id<'organization'>,
    messageId: messageId as Id<'message'>,
    tokenId: tokenId as Id<'pushToken'>,
  };
};

const opensShape = z.object({ ios: sum, android: sum, web: sum });
/** How many devices opened, of one shard's row. */
export const opensOf = (row: Row): Opens => opensShape.parse(row);
