import type { AudienceDevice } from '../../domain/channels/push/device.ts';
import { dispatchIdsOf, type PushChunk } from '../../domain/channels/push/dispatch.ts';
import type { PushMessage } from '../../domain/channels/push/message.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countedOf } from '../../domain/message/automation-counts.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import type { ChunkOwner, Claim, CommitOutcome, NewPush, PushCreationStore } from '../../domain/push-messages/ports.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { archiveExpiry } from '../archive/archive-expiry.ts';
import { ABSENT } from '../client/conditions.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { CancelReason, Table } from '../client/table.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { dueEntry, messageRows } from '../messages/message-rows.ts';
import { pushPartition } from '../partitions.ts';
import { readRow } from '../read-row.ts';
import {
  type Debit,
  type DebitFailure,
  type DebitWrites,
  debitFailure,
  inAnyLane,
  makeDebit,
} from '../wallet/debit.ts';
import { entryWrite } from '../wallet/entries.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { recordWrite, releaseClaim, takeClaim } from './claims.ts';
import { KEEP_SECONDS, pushChunkRows, pushDispatchRows, readPushChunk, readPushMessageRow } from './push-rows.ts';

/** Maximum operations per transaction (DynamoDB, TransactWriteItems). */
const MAX_WRITES = 100;

type Part = 'idempotencyRecord' | 'wallet' | 'entry' | 'message' | 'rest';

/** The hold of a message in the wallet, which also counts its messages. A free message has no entry. */
const debitOf = ({ organizationId, env, coins, lane = 0, createdAt: now }: MessageRecord): Debit => {
  const add = { push: 1, ...(coins === 0 ? {} : { held: coins }) };
  return { organizationId, env, lane, coins, add, sends: 1, now };
};

const entryOf = ({ organizationId, lane, coins, createdAt: at, id: messageId }: MessageRecord): [Part, WriteOp][] =>
  coins === 0
    ? []
    : [['entry', entryWrite({ organizationId, lane, kind: 'hold', coins: -coins, held: coins, at, messageId })]];

const commitWrites = (table: Table, { message, events }: NewPush, claim: Claim, debit: DebitWrites) => {
  const due = message.hold === 'open' ? dueEntry(message) : archiveExpiry(table, message.createdAt);
  const parts: [Part, WriteOp][] = [
    ['idempotencyRecord', recordWrite(message, claim)],
    ['message', { put: { ...messageRows.write(message), ...due }, when: ABSENT }],
    ['wallet', debit.wallet],
    ...entryOf(message),
    ...[...debit.events, ...events].map((event): [Part, WriteOp] => ['rest', eventWrite(event)]),
  ];
  return parts.map(([part, write]) => ({ part, write }));
};

type CommitEnd = { readonly kind: CommitOutcome };

/** The meaning of a commit's failed conditions except its debit's; undefined if none failed. */
const verdictOf = (message: MessageRecord, failed: (part: Part) => CancelReason | undefined): CommitEnd | undefined => {
  // Only a commit writes the message's row: it is this call's, whose response was lost, or, for a late attempt, another attempt's.
  const found = failed('message')?.row;
  if (found) return { kind: messageRows.read(found).createdAt === message.createdAt ? 'committed' : 'superseded' };
  return failed('idempotencyRecord') ? { kind: 'superseded' } : undefined;
};

const commit = async (
  table: Table,
  push: NewPush,
  claim: Claim,
  raised: (events: readonly DomainEvent[]) => void,
): Promise<CommitOutcome> => {
  const { organizationId } = push.message;
  const events = await takenEvents(table, organizationId, push.events);
  const outcome = await inAnyLane(table, organizationId, (lane) => {
    const message = lane === 0 ? push.message : { ...push.message, lane };
    const debit = debitOf(message);
    return makeDebit(
      table,
      debit,
      (own) => commitWrites(table, { ...push, message, events }, claim, own),
      async (named, reasons): Promise<CommitEnd | DebitFailure> => {
        const failed = (part: Part) =>
          reasons.find(({ conditionFailed }, at) => conditionFailed && named[at]?.part === part);
        return verdictOf(message, failed) ?? debitFailure(table, debit, failed('wallet'));
      },
    );
  });
  if (outcome.kind === 'volume_changed') throw new TypeError('a push takes no positions');
  if (outcome.kind !== 'made') return outcome.kind;
  raised([...outcome.events, ...events]);
  return 'committed';
};

/** When the devices and chunks of a push message expire, in s. */
const ttlOf = ({ createdAt }: Pick<PushMessage, 'createdAt'>): number => Math.ceil(createdAt / 1000) + KEEP_SECONDS;

const dispatchRows = (chunk: PushChunk, message: ChunkOwner, devices: readonly AudienceDevice[]): Row[] => {
  const idAt = dispatchIdsOf(chunk);
  const { messageId } = chunk;
  const { organizationId, record } = message;
  const ttl = ttlOf(message);
  const automated = record && countedOf(record) ? true : undefined;
  return devices.map(({ id: tokenId, platform }, place) => ({
    ...pushDispatchRows.write({
      id: idAt(place),
      organizationId,
      messageId,
      tokenId,
      platform,
      status: 'queued',
      attempts: 0,
      automated,
    }),
    ttl,
  }));
};

/**
 * Writes the rows of a chunk's devices, and the chunk's own row last: if that exists, all of them do. Transactions are used only for their
 * size, 100 rows per call: they need a quarter of the calls of BatchWriteItem with 25, for one more write unit per device. `transact` makes
 * the last call.
 */
export const putPushChunk = async (
  table: Table,
  chunk: PushChunk,
  message: ChunkOwner,
  devices: readonly AudienceDevice[],
  transact = (writes: readonly WriteOp[]) => table.transact(writes),
): ReturnType<PushCreationStore['putChunk']> => {
  const puts = dispatchRows(chunk, message, devices).map((put): WriteOp => ({ put }));
  const own: WriteOp = { put: { ...pushChunkRows.write(chunk), ttl: ttlOf(message) }, when: ABSENT };
  const rest = puts.splice(MAX_WRITES * Math.floor(puts.length / MAX_WRITES));
  for (let from = 0; from < puts.length; from += MAX_WRITES) await table.transact(puts.slice(from, from + MAX_WRITES));
  const outcome = await transact([...rest, own]);
  if (outcome.ok) return 'written';
  const row = outcome.reasons.at(-1)?.row;
  return row && readPushChunk(row).attempt === chunk.attempt ? 'found' : 'superseded';
};

/** The chunks of a push message in the order of shards and numbers. */
export const readPushChunks = async (table: Table, messageId: Id<'message'>): Promise<PushChunk[]> => {
  const partition = pushPartition(messageId);
  const sort = { text: 'begins_with(#sk, :chunk)', values: { chunk: 'CHUNK#' } };
  return (await table.queryAll({ partition, sort, consistent: true })).map(readPushChunk);
};

/** A push message by its id, of any organization. */
export const readPushMessage = (table: Table, id: Id<'message'>): Promise<PushMessage | undefined> =>
  readRow(table, KEYS.message(id), readPushMessageRow);

/** Creation of push messages in the table of one stage. */
export const pushCreationStore = (
  table: Table,
  publish: (workItems: readonly Publishable[]) => void,
): PushCreationStore => ({
  claim: (request, now, until) => takeClaim(table, request, now, until),
  releaseClaim: (claim, now, how) => releaseClaim(table, claim, now, how),
  chunks: (messageId) => readPushChunks(table, messageId),
  putChunk: (chunk, tenant, devices) => putPushChunk(table, chunk, tenant, devices),
  commit: (push, claim) =>
    commit(table, push, claim, (events) => events.length > 0 && publish(events.map(eventWorkItem))),
  async read(organizationId, id) {
    const message = await readPushMessage(table, id);
    return message?.organizationId === organizationId ? message : undefined;
  },
});
