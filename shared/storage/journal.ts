import { GATHER_MS } from '../domain/bulk/escrow.ts';
import type { Advance, Journal, Release, Reservation, Settlement } from '../domain/messages/journal.ts';
import type { Decision, MessageRecord, MessageStatus } from '../domain/messages/message.ts';
import { UNIFIED_OF } from '../domain/messages/views.ts';
import { isoTime } from '../domain/time.ts';
import type { DueHint } from '../queues/queues.ts';
import { FINDS, KEYS } from './access-patterns.ts';
import { chainHints, chainNews } from './chains.ts';
import type { Condition, WriteOp } from './expressions.ts';
import { captureWrites, comesBackAtOnce, escrowHints, moveWrites, releaseEntryWrites } from './holds.ts';
import { isInbound } from './inbound-rows.ts';
import { parseMessage } from './message-rows.ts';
import { eventHint, eventWrite } from './outbox.ts';
import { bodyGone, type Sealer } from './queued.ts';
import { reserve } from './reserve.ts';
import type { Table } from './table.ts';

/** A correlation is kept as long as a provider may still call back with it. */
const CORRELATION_SECONDS = 30 * 24 * 3600;

const underFence = (message: MessageRecord): Condition => ({
  text: '#hold = :open AND #fence = :fence',
  values: { open: 'open', fence: message.fence },
});

const settleWrites = (message: MessageRecord, settlement: Settlement): WriteOp[] => {
  const { id } = message;
  const { at, outcomeAt } = settlement;
  return [
    {
      update: KEYS.message(id),
      set: {
        status: 'sent',
        hold: 'captured',
        provider: settlement.provider,
        providerMessageId: settlement.providerMessageId,
        sentAt: isoTime(at),
        updatedAt: isoTime(at),
        ...(outcomeAt === undefined ? {} : FINDS.due('sandbox_outcome', id, outcomeAt)),
      },
      append: { decisions: settlement.decisions },
      remove: outcomeAt === undefined ? ['duePk', 'dueAt', 'uncertain'] : ['uncertain'],
      when: underFence(message),
    },
    ...captureWrites(message, at),
    ...settlement.correlations.map(
      (reference): WriteOp => ({
        put: {
          ...KEYS.correlation(settlement.provider, reference),
          messageId: id,
          ttl: Math.ceil(at / 1000) + CORRELATION_SECONDS,
        },
      }),
    ),
    ...settlement.events.map(eventWrite),
    ...bodyGone(message),
  ];
};

const releaseWrites = (message: MessageRecord, release: Release): WriteOp[] => {
  const { organizationId, id, coins } = message;
  const { at } = release;
  const key: WriteOp = {
    delete: KEYS.idempotency(organizationId, message.callerKey),
    when: { text: 'attribute_not_exists(#pk) OR #messageId = :id', values: { id } },
  };
  return [
    {
      update: KEYS.message(id),
      set: {
        status: 'failed',
        hold: 'released',
        reason: release.reason,
        lastError: release.lastError,
        failedAt: isoTime(at),
        updatedAt: isoTime(at),
      },
      append: { decisions: release.decisions },
      remove: ['duePk', 'dueAt', 'uncertain'],
      when: underFence(message),
    },
    ...releaseEntryWrites(message, at, 'failed', release.withChunk),
    ...(comesBackAtOnce(message, release.withChunk)
      ? [{ update: KEYS.wallet(organizationId), add: { balance: coins, held: -coins } } satisfies WriteOp]
      : []),
    ...(release.freeKey ? [key] : []),
    ...release.events.map(eventWrite),
    ...bodyGone(message),
    ...chainNews({ ...message, status: 'failed', hold: 'released', reason: release.reason }, at),
  ];
};

/** The moment that a status leaves on the row. */
const STAMPS: Readonly<Partial<Record<MessageStatus, 'deliveredAt' | 'readAt' | 'failedAt'>>> = {
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
  undelivered: 'failedAt',
  bounced: 'failedAt',
};

const advanceWrites = (message: MessageRecord, step: Advance): WriteOp[] => {
  const { status, at, outcomeAt } = step;
  const stamp = status && STAMPS[status];
  const ends = status !== undefined && status !== 'sent' && outcomeAt === undefined;
  return [
    {
      update: KEYS.message(message.id),
      set: {
        ...(status ? { status, ...(stamp ? { [stamp]: isoTime(at) } : {}) } : {}),
        reason: step.reason,
        via: step.via,
        providerReceipt: step.receipt,
        updatedAt: isoTime(step.recordedAt),
        ...(outcomeAt === undefined ? {} : FINDS.due('sandbox_outcome', message.id, outcomeAt)),
      },
      append: { decisions: step.decisions },
      ...(ends ? { remove: ['duePk', 'dueAt'] } : {}),
      when: {
        text: '#status = :status AND #updatedAt = :updatedAt',
        values: { status: message.status, updatedAt: isoTime(message.updatedAt) },
      },
    },
    ...(step.receiptFingerprint ? [{ delete: KEYS.receipt(message.id, step.receiptFingerprint) }] : []),
    ...step.events.map(eventWrite),
    ...(status ? chainNews({ ...message, status, reason: step.reason }, step.recordedAt) : []),
    ...(status ? moveWrites(message, UNIFIED_OF[status]) : []),
  ];
};

/** The journal over the single table. `publish` hands committed work on; it is only a hint, so it may be lost. */
export const journal = (
  table: Table,
  publish: (hints: readonly DueHint[], delaySeconds?: number) => void,
  sealer: Sealer,
): Journal => {
  const commit = async (
    writes: readonly WriteOp[],
    events: readonly { id: string }[] = [],
    more: readonly DueHint[] = [],
  ): Promise<boolean> => {
    const { ok } = await table.transact(writes);
    const hints = [...events.map(({ id }) => eventHint(id)), ...more];
    if (ok && hints.length > 0) publish(hints);
    return ok;
  };
  const change = async (message: MessageRecord, set: Record<string, unknown>, decision: Decision): Promise<boolean> => {
    const { ok } = await table.write({
      update: KEYS.message(message.id),
      set,
      append: { decisions: [decision] },
      when: underFence(message),
    });
    return ok;
  };
  const read = async (id: string): Promise<MessageRecord | undefined> => {
    const row = await table.get(KEYS.message(id));
    return row && !isInbound(row) ? parseMessage(row) : undefined;
  };
  /** A repeat of our own commit fails its condition: what stands there tells whether it was ours. */
  const orAlready = async (done: boolean, message: MessageRecord, hold: 'captured' | 'released'): Promise<boolean> => {
    if (done) return true;
    const now = await read(message.id);
    return now?.hold === hold && now.fence === message.fence;
  };
  return {
    read,
    reserve: (reservation: Reservation) =>
      reserve(table, reservation, sealer, (ids) => ids.length > 0 && publish(ids.map(eventHint))),
    settle: async (message, settlement) =>
      orAlready(await commit(settleWrites(message, settlement), settlement.events), message, 'captured'),
    async release(message, release) {
      const done = await commit(releaseWrites(message, release), release.events, chainHints(message, 'failed'));
      const gathered = done ? escrowHints(message, release.withChunk) : [];
      if (gathered.length > 0) publish(gathered, GATHER_MS / 1000);
      return orAlready(done, message, 'released');
    },
    markUncertain: (message, at, deadline, decision) =>
      change(
        message,
        { uncertain: true, deadline, updatedAt: isoTime(at), ...FINDS.due('resolve_send', message.id, deadline) },
        decision,
      ),
    reroute: (message, provider, decision) => change(message, { provider }, decision),
    async begin(message, provider, now, deadline) {
      const written = await table.write({
        update: KEYS.message(message.id),
        set: {
          status: 'sending',
          provider,
          deadline,
          leavingAt: now,
          updatedAt: isoTime(now),
          ...FINDS.due('resolve_send', message.id, deadline),
        },
        add: { fence: 1, attempts: 1 },
        when: {
          text: '#hold = :open AND #status = :queued AND #fence = :fence AND #deadline <= :now',
          values: { open: 'open', queued: 'queued', fence: message.fence, now },
        },
      });
      return written.ok && written.row ? parseMessage(written.row) : undefined;
    },
    async takeOver(message, now, deadline) {
      const written = await table.write({
        update: KEYS.message(message.id),
        set: { deadline, ...FINDS.due('resolve_send', message.id, deadline) },
        add: { fence: 1, inquiries: 1 },
        when: {
          text: '#hold = :open AND #status = :sending AND #fence = :fence AND #deadline <= :now',
          values: { open: 'open', sending: 'sending', fence: message.fence, now },
        },
      });
      return written.ok && written.row ? parseMessage(written.row) : undefined;
    },
    advance: async (message, step) =>
      commit(advanceWrites(message, step), step.events, chainHints(message, step.status)),
  };
};
