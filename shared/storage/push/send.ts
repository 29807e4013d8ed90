import { dispatchId, type PushChunk } from '../../domain/channels/push/dispatch.ts';
import { byPlatform, deliveredOf, isPartOf, type PushMessage, type Tally } from '../../domain/channels/push/message.ts';
import type { PushSendStore, SettledDispatch } from '../../domain/push-messages/ports.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { INDEX_KEYS, KEYS, shardOf } from '../access-patterns.ts';
import { oneOf } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { CAPTURE_SHARDS } from '../table-indexes.ts';
import { entryWrite } from '../wallet/ledger.ts';
import { readPushChunks, readPushMessage } from './create.ts';
import { pushChunkRows, pushDispatchRows, pushMessageRows, readPushChunk, tallyAttributes } from './push-rows.ts';

const keyOf = ({ messageId, shard, number }: Pick<PushChunk, 'messageId' | 'shard' | 'number'>) =>
  KEYS.pushChunk(messageId, shard, number);

/** Condition: this worker still holds the chunk's lease. */
const isLeased = ({ fence }: PushChunk): Condition => ({
  text: '#state = :open AND #fence = :fence',
  values: { open: 'open', fence },
});

/** What settled devices add to their chunk's counts. */
const countsOf = (settled: readonly SettledDispatch[]): Tally =>
  byPlatform((platform) => {
    const own = settled.filter(({ dispatch }) => dispatch.platform === platform);
    const count = (status: string) => own.filter((each) => each.status === status).length;
    return { delivered: count('delivered'), failures: count('failed') };
  });

const plus = (a: Tally, b: Tally): Tally =>
  byPlatform((platform) => ({
    delivered: a[platform].delivered + b[platform].delivered,
    failures: a[platform].failures + b[platform].failures,
  }));

const outcomeWrite = (pass: number, { dispatch, status, reason }: SettledDispatch): WriteOp => ({
  update: KEYS.pushDispatch(dispatch.id),
  set: pushDispatchRows.set({ status, attempts: pass, reason }),
  when: { text: '#status = :queued AND #attempts < :pass', values: { queued: 'queued', pass } },
});

const settle = async (
  table: Table,
  chunk: PushChunk,
  settled: readonly SettledDispatch[],
  next: Pick<PushChunk, 'cursor' | 'leaseUntil'>,
): Promise<PushChunk | undefined> => {
  const counts = countsOf(settled);
  const { text, values } = isLeased(chunk);
  const outcome = await table.transact([
    {
      update: keyOf(chunk),
      set: pushChunkRows.set({ cursor: next.cursor, leaseUntil: next.leaseUntil }),
      add: { step: 1, ...tallyAttributes(counts) },
      when: { text: `${text} AND #step = :step`, values: { ...values, step: chunk.step } },
    },
    ...settled.map((each) => outcomeWrite(chunk.pass, each)),
  ]);
  const after: PushChunk = { ...chunk, ...next, step: chunk.step + 1, tally: plus(chunk.tally, counts) };
  if (outcome.ok) return after;
  const row = outcome.reasons[0]?.row;
  const now = row && readPushChunk(row);
  // Our own settlement, whose answer was lost: nobody else raises the step under this fence.
  return now?.fence === chunk.fence && now.step === after.step ? after : undefined;
};

const finish = async (table: Table, chunk: PushChunk): Promise<number | undefined> => {
  const outcome = await table.transact([
    { update: keyOf(chunk), set: pushChunkRows.set({ state: 'done' }), when: isLeased(chunk) },
    {
      update: KEYS.pushMessage(chunk.messageId),
      add: { done: 1 },
      when: { text: '#status = :sending', values: { sending: 'sending' } },
    },
  ]);
  const row = outcome.ok ? undefined : outcome.reasons[0]?.row;
  const own = row && readPushChunk(row);
  if (!outcome.ok && !(own?.state === 'done' && own.fence === chunk.fence)) return undefined;
  return (await readPushMessage(table, chunk.messageId))?.done;
};

/** The end of a message's hold: accepted devices are captured, the rest is released. */
const moneyWrites = (message: PushMessage, tally: Tally, at: number): WriteOp[] => {
  const { organizationId, id, coinsEach, reach } = message;
  const captured = deliveredOf(tally) * coinsEach;
  const released = reach * coinsEach - captured;
  const entry = { organizationId, at, messageId: id };
  return [
    ...(captured > 0
      ? [
          entryWrite({ ...entry, kind: 'capture', coins: 0, held: -captured }),
          { update: KEYS.captured(organizationId, shardOf(id, CAPTURE_SHARDS)), add: { captured } },
        ]
      : []),
    ...(released > 0
      ? [
          entryWrite({ ...entry, kind: 'release', coins: released, held: -released }),
          { update: KEYS.wallet(organizationId), add: { balance: released, held: -released } },
        ]
      : []),
  ];
};

/** Sending push messages in the table of one stage. */
export const pushSendStore = (table: Table, publish: (workItems: readonly WorkItem[]) => void): PushSendStore => ({
  message: (id) => readPushMessage(table, id),
  chunks: async (message) => (await readPushChunks(table, message.id)).filter((chunk) => isPartOf(message, chunk)),
  async chunk(messageId, shard, number) {
    const row = await table.get(KEYS.pushChunk(messageId, shard, number));
    return row && readPushChunk(row);
  },
  async dispatches(chunk) {
    const partition = KEYS.pushDispatch(dispatchId(chunk, 0)).pk;
    const rows = await table.queryAll({ partition, consistent: true });
    return rows.slice(0, chunk.devices).map(pushDispatchRows.read);
  },
  async claim(chunk, now, leaseUntil) {
    const { text, values } = isLeased(chunk);
    const { ok } = await table.write({
      update: keyOf(chunk),
      set: pushChunkRows.set({ leaseUntil }),
      add: { fence: 1 },
      when: { text: `${text} AND #leaseUntil <= :now AND #nextAt <= :now`, values: { ...values, now } },
    });
    return ok ? { ...chunk, leaseUntil, fence: chunk.fence + 1 } : undefined;
  },
  settle: (chunk, settled, next) => settle(table, chunk, settled, next),
  async pause(chunk, { pass, cursor, nextAt }) {
    const set = pushChunkRows.set({ pass, cursor, nextAt, leaseUntil: 0 });
    return (await table.write({ update: keyOf(chunk), set, when: isLeased(chunk) })).ok;
  },
  finish: (chunk) => finish(table, chunk),
  async start({ id }, checkAt) {
    const set = { ...pushMessageRows.set({ status: 'sending' }), ...INDEX_KEYS.due('send_push', id, checkAt) };
    await table.write({ update: KEYS.pushMessage(id), set, when: oneOf('status', ['queued', 'sending']) });
  },
  async postpone({ id, leavesAt }, until) {
    const { ok } = await table.write({
      update: KEYS.pushMessage(id),
      set: {
        ...pushMessageRows.set({ leavesAt: until, quietDeferredTo: until }),
        ...INDEX_KEYS.due('send_push', id, until),
      },
      when: { text: '#status = :queued AND #leavesAt = :seen', values: { queued: 'queued', seen: leavesAt } },
    });
    return ok;
  },
  async close(message, { status, tally, at, event }) {
    const { ok } = await table.transact([
      {
        update: KEYS.pushMessage(message.id),
        set: { ...pushMessageRows.set({ status, sentAt: at }), ...tallyAttributes(tally) },
        remove: ['duePk', 'dueAt'],
        when: oneOf('status', ['sending']),
      },
      ...moneyWrites(message, tally, at),
      eventWrite(event),
    ]);
    if (ok) publish([eventWorkItem(event.id)]);
    return ok;
  },
});
