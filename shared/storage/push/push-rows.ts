import * as z from 'zod';
import {
  DISPATCH_STATUSES,
  FAILURE_REASONS,
  type PushChunk,
  type PushDispatchRecord,
} from '../../domain/channels/push/dispatch.ts';
import {
  byPlatform,
  type Opens,
  type PushMessage,
  pushMessageOf,
  type Tally,
} from '../../domain/channels/push/message.ts';
import { PUSH_PLATFORMS } from '../../domain/channels/push/transport.ts';
import type { MessageOf } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import { id, time } from '../client/attributes.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import { isInbound } from '../messages/inbound-rows.ts';
import { messageRows } from '../messages/message-rows.ts';

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

/** Reads a push message from its message's row; undefined for a message of another channel, or an inbound one. */
export const readPushMessageRow = (row: Row): PushMessage | undefined =>
  row.channel === 'push' && !isInbound(row)
    ? pushMessageOf(messageRows.read(row) as MessageOf<'push'>, tallyOf(row))
    : undefined;

const done = z.object({ doneChunks: z.int().default(0) });
/** The number of completed chunks of a push message, from its row. */
export const doneChunksOf = (row: Row): number => done.parse(row).doneChunks;

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
    reason: z.enum(FAILURE_REASONS).optional(),
    openedAt: time.optional(),
    automated: z.literal(true).optional(),
  },
  key: (dispatch) => KEYS.pushDispatch(dispatch.id),
});

const opens = z.object({ ios: sum, android: sum, web: sum });
/** The number of devices that opened, from one shard's row. */
export const opensOf = (row: Row): Opens => opens.parse(row);
