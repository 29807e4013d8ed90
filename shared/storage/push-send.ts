import { dispatchId, type FailureReason, type PushChunk } from '../domain/push/dispatch.ts';
import { byPlatform, deliveredOf, isPartOf, type PushMessage, type Tally } from '../domain/push/message.ts';
import type { PushSender, Settled } from '../domain/push/ports.ts';
import { isoTime } from '../domain/time.ts';
import type { DueHint } from '../queues/queues.ts';
import { CAPTURE_SHARDS, FINDS, KEYS, shardOf } from './access-patterns.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { entryWrite } from './ledger.ts';
import { eventHint, eventWrite } from './outbox.ts';
import { readPushChunks, readPushMessage } from './push-make.ts';
import { parseDispatch, parsePushChunk, tallyAttributes } from './push-rows.ts';
import type { QueryRange, Table } from './table.ts';

const keyOf = ({ messageId, shard, number }: Pick<PushChunk, 'messageId' | 'shard' | 'number'>) =>
  KEYS.pushChunk(messageId, shard, number);

/** That the chunk is still its taker's. */
const held = ({ fence }: PushChunk): Condition => ({
  text: '#state = :open AND #fence = :fence',
  values: { open: 'open', fence },
});

/** What settled devices add to their chunk's counts. */
const countsOf = (settled: readonly Settled[]): Tally =>
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

const outcomeWrite = (pass: number, { dispatch, status, reason }: Settled): WriteOp => ({
  update: KEYS.pushDispatch(dispatch.id),
  set: { status, attempts: pass, ...(reason === undefined ? {} : { reason: reason satisfies FailureReason }) },
  when: { text: '#status = :queued AND #attempts < :pass', values: { queued: 'queued', pass } },
});

const settle = async (
  table: Table,
  chunk: PushChunk,
  settled: readonly Settled[],
  next: Pick<PushChunk, 'cursor' | 'leaseUntil'>,
): Promise<PushChunk | undefined> => {
  const counts = countsOf(settled);
  const { text, values } = held(chunk);
  const outcome = await table.transact([
    {
      update: keyOf(chunk),
      set: { cursor: next.cursor, leaseUntil: next.leaseUntil },
      add: { step: 1, ...tallyAttributes(counts) },
      when: { text: `${text} AND #step = :step`, values: { ...values, step: chunk.step } },
    },
    ...settled.map((each) => outcomeWrite(chunk.pass, each)),
  ]);
  const after: PushChunk = { ...chunk, ...next, step: chunk.step + 1, tally: plus(chunk.tally, counts) };
  if (outcome.ok) return after;
  const row = outcome.reasons[0]?.row;
  const now = row && parsePushChunk(row);
  // Its own settlement, whose answer was lost: nobody else raises the step under this fence.
  return now?.fence === chunk.fence && now.step === after.step ? after : undefined;
};

const finish = async (table: Table, chunk: PushChunk): Promise<number | undefined> => {
  const outcome = await table.transact([
    { update: keyOf(chunk), set: { state: 'done' }, when: held(chunk) },
    {
      update: KEYS.pushMessage(chunk.messageId),
      add: { done: 1 },
      when: { text: '#status = :sending', values: { sending: 'sending' } },
    },
  ]);
  const row = outcome.ok ? undefined : outcome.reasons[0]?.row;
  const own = row && parsePushChunk(row);
  if (!outcome.ok && !(own?.state === 'done' && own.fence === chunk.fence)) return undefined;
  return (await readPushMessage(table, chunk.messageId))?.done;
};

/** What a message's hold becomes: what its devices took is captured, the rest is released. */
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

const inState = (...states: readonly string[]): Condition => ({
  text: `#status IN (${states.map((_, at) => `:in${at}`).join(', ')})`,
  values: Object.fromEntries(states.map((state, at) => [`in${at}`, state])),
});

/** Sending push messages in the table of one stage. */
export const pushSender = (table: Table, publish: (hints: readonly DueHint[]) => void): PushSender => ({
  message: (id) => readPushMessage(table, id),
  chunks: async (message) => (await readPushChunks(table, message.id)).filter((chunk) => isPartOf(message, chunk)),
  async chunk(messageId, shard, number) {
    const row = await table.get(KEYS.pushChunk(messageId, shard, number));
    return row && parsePushChunk(row);
  },
  async dispatches(chunk) {
    const found = [];
    let startKey: QueryRange['startKey'];
    do {
      const partition = KEYS.pushDispatch(dispatchId(chunk, 0)).pk;
      const page = await table.query({ partition, consistent: true, startKey });
      found.push(...page.rows.map(parseDispatch));
      startKey = page.nextKey;
    } while (startKey);
    return found.slice(0, chunk.devices);
  },
  async take(chunk, now, leaseUntil) {
    const { text, values } = held(chunk);
    const { ok } = await table.write({
      update: keyOf(chunk),
      set: { leaseUntil },
      add: { fence: 1 },
      when: { text: `${text} AND #leaseUntil <= :now AND #nextAt <= :now`, values: { ...values, now } },
    });
    return ok ? { ...chunk, leaseUntil, fence: chunk.fence + 1 } : undefined;
  },
  settle: (chunk, settled, next) => settle(table, chunk, settled, next),
  async rest(chunk, { pass, cursor, nextAt }) {
    const set = { pass, cursor, nextAt, leaseUntil: 0 };
    return (await table.write({ update: keyOf(chunk), set, when: held(chunk) })).ok;
  },
  finish: (chunk) => finish(table, chunk),
  async begin({ id }, lookAt) {
    const set = { status: 'sending', ...FINDS.due('send_push', id, lookAt) };
    await table.write({ update: KEYS.pushMessage(id), set, when: inState('queued', 'sending') });
  },
  async postpone({ id, leavesAt }, until) {
    const { ok } = await table.write({
      update: KEYS.pushMessage(id),
      set: { leavesAt: until, quietDeferredTo: isoTime(until), ...FINDS.due('send_push', id, until) },
      when: { text: '#status = :queued AND #leavesAt = :seen', values: { queued: 'queued', seen: leavesAt } },
    });
    return ok;
  },
  async close(message, { status, tally, at, event }) {
    const { ok } = await table.transact([
      {
        update: KEYS.pushMessage(message.id),
        set: { status, sentAt: isoTime(at), ...tallyAttributes(tally) },
        remove: ['duePk', 'dueAt'],
        when: inState('sending'),
      },
      ...moneyWrites(message, tally, at),
      eventWrite(event),
    ]);
    if (ok) publish([eventHint(event.id)]);
    return ok;
  },
});
