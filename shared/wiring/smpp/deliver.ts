import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import type { MessageOf } from '../../domain/message/message.ts';
import { type DeliverPorts, type Found, putOff, recordTold, takeTurn } from '../../domain/smpp/deliver.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { id } from '../../storage/client/attributes.ts';
import type { Key, Row } from '../../storage/client/row.ts';
import { messageRows } from '../../storage/messages/message-rows.ts';
import { replyRows } from '../../storage/messages/replies.ts';
import { noticeQueue } from '../../storage/smpp/notices.ts';
import { readAssembly } from '../../storage/smpp/parts.ts';
import { clock, table } from '../process/aws.ts';

/* What the stage provides for the SMPP service to deliver reports and replies to accounts. */

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

const turn = z.object({ accountId: id('smppAccount'), shard: z.int(), owner: z.string() });
const TakeEvent = z.object({ turn, after: z.string().optional() });
/** Leases a shard; undefined while another lease lasts. */
export const takeSmppTurn = (event: unknown) => {
  const { turn: mine, after } = TakeEvent.parse(event);
  return takeTurn(ports, mine, after);
};
/** Ends a lease. */
export const endSmppTurn = (event: unknown) => notices.end(turn.parse(event));

const ToldEvent = z.object({
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
export const toldOverSmpp = (event: unknown) => {
  const { taken, ...delivery } = ToldEvent.parse(event);
  return taken ? recordTold(ports, delivery) : putOff(ports, delivery);
};
