import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { MessageOf } from '../../domain/message/message.ts';
import { type DeliverPorts, defer, type Found, leaseShard, recordAnswered } from '../../domain/smpp/deliver.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { id } from '../../storage/client/attributes.ts';
import type { Key, Row } from '../../storage/client/row.ts';
import { messageRows } from '../../storage/messages/message-rows.ts';
import { replyRows } from '../../storage/messages/replies.ts';
import { noticeQueue } from '../../storage/smpp/notices.ts';
import { readAssembly } from '../../storage/smpp/parts.ts';
import { clock, table } from '../process/aws.ts';

/* The stage's functions for the SMPP service to deliver reports and replies to accounts. */

const readable = <T>(row: Row, read: (row: Row) => T): Found<T> => {
  try {
    return read(row);
  } catch (error) {
    if (error instanceof z.ZodError) return 'unreadable';
    throw error;
  }
};
/** Current rows by ids, consistently read: a missing one is gone, and a new one is never missed. */
const byIds = async <I extends string, T>(ids: readonly I[], keyOf: (id: I) => Key, read: (row: Row) => T) => {
  const rows = await table.getMany(ids.map(keyOf), { consistent: true });
  return new Map(rows.flatMap((row, at) => (row ? [[ids[at] as I, readable(row, read)] as const] : [])));
};

const notices = noticeQueue(table);
const ports: DeliverPorts = {
  clock,
  notices,
  messages: (ids: readonly Id<'message'>[]) =>
    byIds(ids, KEYS.message, (row) => messageRows.read(row) as MessageOf<'sms'>),
  replies: (ids) => byIds(ids, KEYS.reply, replyRows.read),
  parts: (ids) => byIds(ids, KEYS.smppParts, readAssembly),
};

const WaitingEvent = z.object({ accountId: id('smppAccount') });
/** The shards of an account's notices that have pending ones and no lease. */
export const waitingOverSmpp = (event: unknown) => notices.waiting(WaitingEvent.parse(event).accountId, clock());

const lease = z.object({ accountId: id('smppAccount'), shard: z.int(), owner: z.string() });
const TakeEvent = z.object({ turn: lease, after: z.string().optional() });
/** Leases a shard; undefined while another lease lasts. */
export const leaseSmppShard = (event: unknown) => {
  const { turn, after } = TakeEvent.parse(event);
  return leaseShard(ports, turn, after);
};
/** Ends a lease. */
export const releaseSmppShard = (event: unknown) => notices.end(lease.parse(event));

const AnswerEvent = z.object({
  notice: z.object({
    accountId: id('smppAccount'),
    about: z.union([id('message'), id('smppParts')]),
    position: z.string(),
  }),
  tries: z.int(),
  told: z.int().exactOptional(),
  taken: z.boolean(),
});
/** Records the response to a deliver_sm. */
export const recordSmppAnswer = (event: unknown) => {
  const { taken, ...delivery } = AnswerEvent.parse(event);
  return taken ? recordAnswered(ports, delivery) : defer(ports, delivery);
};
