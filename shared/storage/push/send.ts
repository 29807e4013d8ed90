import { dispatchId, type PushChunk } from '../../domain/channels/push/dispatch.ts';
import { isPartOf, type PushMessage } from '../../domain/channels/push/message.ts';
import { countsOfRelease, countsOfSettlement } from '../../domain/message/automation-counts.ts';
import { runSignal } from '../../domain/message/run-signal.ts';
import type { LastOutcomes, PushOutcome, PushSendStore, SettledDispatch } from '../../domain/push-messages/ports.ts';
import { afterSettlement, tallyOfSettled } from '../../domain/push-messages/settlement.ts';
import { stopsCounting } from '../../domain/sending/frequency.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { archiveExpiry } from '../archive/archive-expiry.ts';
import { messageCountWrites } from '../automation/counters.ts';
import { signalWorkItems, signalWrites } from '../automation/run-signals.ts';
import { updateOnce } from '../client/claim-mark.ts';
import { coalescedRead, coalescedTransact } from '../client/coalescer.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { uncountWrites } from '../contacts/sent-counts.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { fallbackStatusWrites, fallbackWorkItems } from '../messages/fallbacks.ts';
import { escrowWorkItems, partialWrites } from '../messages/holds.ts';
import { keptState, markLate } from '../messages/late-changes.ts';
import { messageRows } from '../messages/message-rows.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { putPushChunk, readPushChunks } from './create.ts';
import {
  doneChunksOf,
  pushChunkRows,
  pushDispatchRows,
  readPushChunk,
  readPushMessageRow,
  tallyAttributes,
} from './push-rows.ts';

const keyOf = ({ messageId, shard, number }: Pick<PushChunk, 'messageId' | 'shard' | 'number'>) =>
  KEYS.pushChunk(messageId, shard, number);

/** Condition: this worker still holds the chunk's lease. */
const isLeased = ({ fence }: PushChunk): Condition => ({
  text: '#state = :open AND #fence = :fence',
  values: { open: 'open', fence },
});

const outcomeWrite = (pass: number, { dispatch, status, reason }: SettledDispatch): WriteOp => ({
  update: KEYS.pushDispatch(dispatch.id),
  set: pushDispatchRows.set({ status, attempts: pass, reason }),
  when: { text: '#status = :queued AND #attempts < :pass', values: { queued: 'queued', pass } },
});

type ChunkChange = Parameters<typeof pushChunkRows.set>[0];
/** The chunk's own write of a settlement, or of its end, which only the holder of its lease makes, once. */
const chunkWrite = (chunk: PushChunk, settled: readonly SettledDispatch[], change: ChunkChange): WriteOp => {
  const { text, values } = isLeased(chunk);
  return {
    update: keyOf(chunk),
    set: pushChunkRows.set(change),
    add: { step: 1, ...tallyAttributes(tallyOfSettled(settled)) },
    when: { text: `${text} AND #step = :step`, values: { ...values, step: chunk.step } },
  };
};
const outcomeWrites = ({ pass }: PushChunk, settled: readonly SettledDispatch[]): WriteOp[] =>
  settled.map((each) => outcomeWrite(pass, each));

/** Writes a row and others with it; `row`: its current state if it was not written. A single row needs no transaction, which costs twice as much. */
const writeWith = async (table: Table, own: WriteOp, others: readonly WriteOp[]) => {
  if (others.length === 0) return table.write(own);
  const outcome = await table.transact([own, ...others]);
  return { ok: outcome.ok, row: outcome.ok ? undefined : outcome.reasons[0]?.row };
};

/**
 * A claim also covers the devices before its cursor, which no other worker sends to again. So a claim whose answer was lost is known as this
 * call's by its mark. `step` is as it was read: no earlier holder has settled devices since.
 */
const claim = async (
  table: Table,
  chunk: PushChunk,
  now: number,
  { cursor, leaseUntil }: Pick<PushChunk, 'cursor' | 'leaseUntil'>,
): Promise<PushChunk | undefined> => {
  const { text, values } = isLeased(chunk);
  const claimed = await updateOnce(table, {
    update: keyOf(chunk),
    set: pushChunkRows.set({ cursor, leaseUntil }),
    add: { fence: 1 },
    when: {
      text: `${text} AND #step = :step AND #leaseUntil <= :now AND #nextAt <= :now`,
      values: { ...values, step: chunk.step, now },
    },
  });
  return claimed && { ...chunk, cursor, leaseUntil, fence: chunk.fence + 1 };
};

const settle = async (
  table: Table,
  chunk: PushChunk,
  settled: readonly SettledDispatch[],
  next: Pick<PushChunk, 'cursor' | 'leaseUntil'>,
): Promise<PushChunk | undefined> => {
  const { cursor, leaseUntil } = next;
  const own = chunkWrite(chunk, settled, { cursor, leaseUntil });
  const { ok, row } = await writeWith(table, own, outcomeWrites(chunk, settled));
  const after: PushChunk = { ...afterSettlement(chunk, settled), cursor, leaseUntil };
  if (ok) return after;
  const now = row && readPushChunk(row);
  // This call's settlement, whose response was lost: no other worker increments the step under this fence.
  return now?.fence === chunk.fence && now.step === after.step ? after : undefined;
};

const finish = async (table: Table, chunk: PushChunk): Promise<number | undefined> => {
  const outcome = await table.transact([
    chunkWrite(chunk, [], { state: 'done' }),
    {
      update: KEYS.message(chunk.messageId),
      add: { doneChunks: 1 },
      when: { text: '#status = :sending', values: { sending: 'sending' } },
    },
  ]);
  const row = outcome.ok ? undefined : outcome.reasons[0]?.row;
  const own = row && readPushChunk(row);
  if (!outcome.ok && !(own?.state === 'done' && own.fence === chunk.fence)) return undefined;
  const message = await table.get(KEYS.message(chunk.messageId), { only: ['doneChunks'] });
  return message && doneChunksOf(message);
};

/** Condition: the hold is open, under the fence that was read. */
const isOpen = ({ record }: PushMessage): Condition => ({
  text: '#hold = :open AND #status = :sending AND #fence = :fence',
  values: { open: 'open', sending: 'sending', fence: record.fence },
});

/** The signal to the message's run: a push service's acceptance is the only report of a delivery. */
const signalOf = ({ record }: PushMessage, { status, at }: Pick<PushOutcome, 'status' | 'at'>) =>
  runSignal(record, status === 'sent' ? 'entregue' : undefined, at);

const closeWrites = (
  table: Table,
  message: PushMessage,
  { status, tally, captured, at, reason, ...rest }: PushOutcome,
  last?: LastOutcomes,
): WriteOp[] => {
  const { record } = message;
  const ended = { ...record, status, reason } as const;
  return [
    {
      update: KEYS.message(message.id),
      set: {
        ...messageRows.set({
          status,
          reason,
          lastError: rest.lastError,
          hold: status === 'sent' ? 'captured' : 'released',
          capturedCoins: status === 'sent' && captured < record.coins ? captured : undefined,
          [status === 'sent' ? 'sentAt' : 'failedAt']: at,
          updatedAt: at,
        }),
        ...tallyAttributes(tally),
        ...archiveExpiry(table, at),
      },
      setOnce: keptState(record, at),
      append: { decisions: rest.decisions },
      remove: ['duePk', 'dueAt'],
      when: isOpen(message),
    },
    ...(last
      ? [chunkWrite(last.chunk, last.settled, { state: 'done' }), ...outcomeWrites(last.chunk, last.settled)]
      : []),
    ...partialWrites(record, captured, at, status),
    ...messageCountWrites([
      [record, status === 'sent' ? { ...countsOfSettlement(record, captured), delivered: 1 } : countsOfRelease(record)],
    ]),
    ...signalWrites(signalOf(message, { status, at })),
    ...(status === 'failed' && stopsCounting(record, reason, rest.certain) ? uncountWrites(record) : []),
    ...rest.events.map(eventWrite),
    // For the same reason it ends the fallback.
    ...fallbackStatusWrites({ ...ended, status: status === 'sent' ? 'delivered' : status }, at),
  ];
};

/** The work items of an ended message: its events, its fallback, and its chunk's escrow if coins are returned. */
const workAfter = (message: PushMessage, { status, at, events }: PushOutcome): Publishable[] => [
  ...events.map(eventWorkItem),
  ...fallbackWorkItems(message.record, status),
  ...escrowWorkItems(message.record),
  ...signalWorkItems(signalOf(message, { status, at })),
];

/** Sending push messages in the table of one stage. */
export const pushSendStore = (table: Table, publish: (workItems: readonly Publishable[]) => void): PushSendStore => ({
  async message(id) {
    const [row] = await coalescedRead(table, [KEYS.message(id)]);
    return row && readPushMessageRow(row);
  },
  chunks: async (message) => (await readPushChunks(table, message.id)).filter((chunk) => isPartOf(message, chunk)),
  async chunk(messageId, shard, number) {
    const [row] = await coalescedRead(table, [KEYS.pushChunk(messageId, shard, number)]);
    return row && readPushChunk(row);
  },
  async dispatches(chunk) {
    const partition = KEYS.pushDispatch(dispatchId(chunk, 0)).pk;
    const rows = await table.queryAll({ partition, consistent: true });
    return rows.slice(0, chunk.devices).map(pushDispatchRows.read);
  },
  claim: (chunk, now, next) => claim(table, chunk, now, next),
  settle: (chunk, settled, next) => settle(table, chunk, settled, next),
  async pause(chunk, { pass, cursor, nextAt }) {
    const set = pushChunkRows.set({ pass, cursor, nextAt, leaseUntil: 0 });
    return (await table.write({ update: keyOf(chunk), set, when: isLeased(chunk) })).ok;
  },
  finish: (chunk) => finish(table, chunk),
  // Concurrent messages to persons share a transaction.
  putChunk: (chunk, tenant, devices) =>
    putPushChunk(table, chunk, tenant, devices, (writes) => coalescedTransact(table, writes)),
  async scheduleCheck(message, at) {
    const set = INDEX_KEYS.due('send_push', message.id, at);
    await table.write({ update: KEYS.message(message.id), set, when: isOpen(message) });
  },
  async close(message, outcome, last) {
    const events = await takenEvents(table, message.organizationId, outcome.events);
    const ended = { ...outcome, events };
    await markLate(table, [message.record], outcome.at);
    const { ok } = await table.transact(closeWrites(table, message, ended, last));
    if (ok) publish(workAfter(message, ended));
    return ok;
  },
});
