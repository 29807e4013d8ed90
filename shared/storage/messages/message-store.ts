import { REFUND_DELAY_MS } from '../../domain/bulk/escrow.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import { countsOfAdvance, countsOfRelease, countsOfSettlement } from '../../domain/message/automation-counts.ts';
import type { Decision, MessageRecord, MessageStatus } from '../../domain/message/message.ts';
import { stopsCounting } from '../../domain/sending/frequency.ts';
import type { Advance, MessageStore, Release, Reservation, Settlement } from '../../domain/sending/message-store.ts';
import { UNIFIED_OF } from '../../domain/tracking/views.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { leavesAfter } from '../archive/leaving.ts';
import { messageCountWrites } from '../automation/counters.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { parseSentCounts, uncountWrites } from '../contacts/sent-counts.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { countDeliveredWrites, countSentWrites } from './destination-counts.ts';
import { fallbackStatusWrites, fallbackWorkItems } from './fallbacks.ts';
import { captureWrites, escrowWorkItems, moveWrites, refundWrites, releaseEntryWrites, returnWrites } from './holds.ts';
import { freedKey } from './idempotency.ts';
import { isInbound } from './inbound-rows.ts';
import { keptState, markLate } from './late-changes.ts';
import { firstEntries, inFlightEntry, messageRows } from './message-rows.ts';
import { bodyDeletes, type Sealer } from './queued.ts';
import { referenceRows } from './reference-rows.ts';
import { reserve } from './reserve.ts';

/** Condition: the hold is open, under the fence that was read. */
const underFence = (message: MessageRecord): Condition => ({
  text: '#hold = :open AND #fence = :fence',
  values: { open: 'open', fence: message.fence },
});

const settleWrites = (table: Table, message: MessageRecord, settlement: Settlement): WriteOp[] => {
  const { id } = message;
  const { at, outcomeAt, provider, providerMessageId } = settlement;
  return [
    {
      update: KEYS.message(id),
      set: {
        ...messageRows.set({
          status: 'sent',
          hold: 'captured',
          provider,
          providerMessageId,
          sentAt: at,
          updatedAt: at,
        }),
        ...firstEntries(message),
        ...leavesAfter(table, at),
        ...(outcomeAt === undefined ? {} : INDEX_KEYS.due('sandbox_outcome', id, outcomeAt)),
      },
      setOnce: keptState(message, at),
      append: { decisions: settlement.decisions },
      remove: outcomeAt === undefined ? ['duePk', 'dueAt', 'uncertain'] : ['uncertain'],
      when: underFence(message),
    },
    ...captureWrites(message, at),
    ...countSentWrites(message, at),
    ...messageCountWrites([[message, countsOfSettlement(message)]]),
    ...bodyDeletes(message),
  ];
};

/** The writes of a release, but for what it counts: several in one transaction count together. */
const releaseWrites = (table: Table, message: MessageRecord, release: Release): WriteOp[] => {
  const { id } = message;
  const { at, reason, lastError } = release;
  return [
    {
      update: KEYS.message(id),
      set: {
        ...messageRows.set({ status: 'failed', hold: 'released', reason, lastError, failedAt: at, updatedAt: at }),
        ...firstEntries(message),
        ...leavesAfter(table, at),
      },
      setOnce: keptState(message, at),
      append: { decisions: release.decisions },
      remove: ['duePk', 'dueAt', 'uncertain'],
      when: underFence(message),
    },
    ...releaseEntryWrites(message, at, 'failed', release.withChunk),
    ...returnWrites(message, release.withChunk),
    ...(release.freeKey ? [freedKey(message)] : []),
    ...(stopsCounting(message, reason, release.freeKey) ? uncountWrites(message) : []),
    ...bodyDeletes(message),
    ...fallbackStatusWrites({ ...message, status: 'failed', hold: 'released', reason }, at),
  ];
};

const releaseCounts = (
  releases: readonly { readonly message: MessageRecord; readonly release: Release }[],
): WriteOp[] =>
  messageCountWrites(
    releases.map(({ message, release }) => [message, countsOfRelease(message, release.withChunk)] as const),
  );

/** Writes that only add to one row, as one write: a transaction may name each row once. */
const summedAdds = (writes: readonly WriteOp[]): WriteOp[] => {
  const sums = new Map<string, Record<string, number>>();
  const summed: WriteOp[] = [];
  for (const write of writes) {
    const { update, add, ...others } = 'update' in write ? write : {};
    if (!update || !add || Object.keys(others).length > 0) {
      summed.push(write);
      continue;
    }
    const row = `${update.pk} ${update.sk}`;
    const sum = sums.get(row) ?? {};
    if (!sums.has(row)) summed.push({ update, add: sum });
    sums.set(row, sum);
    for (const [name, by] of Object.entries(add)) sum[name] = (sum[name] ?? 0) + by;
  }
  return summed;
};

/** The time attribute that a status sets. */
const STAMPS: Readonly<Partial<Record<MessageStatus, 'deliveredAt' | 'readAt' | 'failedAt'>>> = {
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
  undelivered: 'failedAt',
  bounced: 'failedAt',
};

const advanceWrites = (message: MessageRecord, transition: Advance): WriteOp[] => {
  const { status, at, outcomeAt } = transition;
  const stamp = status && STAMPS[status];
  const ends = status !== undefined && status !== 'sent' && outcomeAt === undefined;
  return [
    {
      update: KEYS.message(message.id),
      set: {
        ...messageRows.set({
          status,
          ...(stamp ? { [stamp]: at } : {}),
          reason: transition.reason,
          via: transition.via,
          refunded: transition.refund,
          providerReceipt: transition.receipt,
          updatedAt: transition.recordedAt,
        }),
        ...(outcomeAt === undefined ? {} : INDEX_KEYS.due('sandbox_outcome', message.id, outcomeAt)),
      },
      setOnce: keptState(message, transition.recordedAt),
      append: { decisions: transition.decisions },
      ...(ends ? { remove: ['duePk', 'dueAt'] } : {}),
      when: {
        text: '#status = :status AND #updatedAt = :updatedAt',
        values: messageRows.set({ status: message.status, updatedAt: message.updatedAt }),
      },
    },
    ...(transition.refund === undefined ? [] : refundWrites(message, transition.refund, transition.recordedAt)),
    ...(transition.receiptFingerprint ? [{ delete: KEYS.receipt(message.id, transition.receiptFingerprint) }] : []),
    ...(status ? fallbackStatusWrites({ ...message, status, reason: transition.reason }, transition.recordedAt) : []),
    ...(status ? moveWrites(message, UNIFIED_OF[status]) : []),
    ...countDeliveredWrites(message, status, transition.recordedAt),
    ...messageCountWrites([[message, countsOfAdvance(message, status, transition.refund)]]),
  ];
};

/** The message store over the single table. `publish` enqueues committed work early; it may be lost, since the work is found by its due time. */
export const messageStore = (
  table: Table,
  publish: (workItems: readonly Publishable[], delaySeconds?: number) => void,
  sealer: Sealer,
): MessageStore => {
  /** Makes a change together with the events that it raises and somebody takes. One row alone needs no transaction, which costs twice. */
  const commit = async (
    { organizationId }: Pick<MessageRecord, 'organizationId'>,
    writes: readonly WriteOp[],
    raised: readonly DomainEvent[],
    more: readonly Publishable[] = [],
  ): Promise<boolean> => {
    const events = await takenEvents(table, organizationId, raised);
    const all = [...writes, ...events.map(eventWrite)];
    const [only] = all;
    const { ok } = only && all.length === 1 ? await table.write(only) : await table.transact(all);
    const workItems = [...events.map(eventWorkItem), ...more];
    if (ok && workItems.length > 0) publish(workItems);
    return ok;
  };
  const change = async (
    message: MessageRecord,
    set: Record<string, unknown>,
    decision: Decision,
    setOnce: Readonly<Record<string, unknown>> = {},
  ): Promise<boolean> => {
    const { ok } = await table.write({
      update: KEYS.message(message.id),
      set,
      setOnce,
      append: { decisions: [decision] },
      when: underFence(message),
    });
    return ok;
  };
  const read = async (id: Id<'message'>): Promise<MessageRecord | undefined> => {
    const row = await table.get(KEYS.message(id));
    return row && !isInbound(row) ? messageRows.read(row) : undefined;
  };
  /** A repeat of our own commit fails its condition: the current row shows whether it was ours. */
  const orAlready = async (done: boolean, message: MessageRecord, hold: 'captured' | 'released'): Promise<boolean> => {
    if (done) return true;
    const now = await read(message.id);
    return now?.hold === hold && now.fence === message.fence;
  };
  return {
    read,
    sentTo: async (contactId) => parseSentCounts(await table.get(KEYS.sentToContact(contactId))),
    reserve(reservation: Reservation) {
      return reserve(table, reservation, sealer, (events) => {
        if (events.length > 0) publish(events.map(eventWorkItem));
      });
    },
    async settle(message, settlement) {
      await markLate(table, [message], settlement.at);
      const references = referenceRows(message, settlement);
      if (references.length > 0) await table.putMany(references);
      return orAlready(
        await commit(message, settleWrites(table, message, settlement), settlement.events),
        message,
        'captured',
      );
    },
    async release(message, release) {
      await markLate(table, [message], release.at);
      const more = fallbackWorkItems(message, 'failed');
      const writes = [...releaseWrites(table, message, release), ...releaseCounts([{ message, release }])];
      const done = await commit(message, writes, release.events, more);
      const escrowItems = done ? escrowWorkItems(message, release.withChunk) : [];
      if (escrowItems.length > 0) publish(escrowItems, REFUND_DELAY_MS / 1000);
      return orAlready(done, message, 'released');
    },
    async releaseTogether(releases) {
      const [first] = releases;
      if (!first) return true;
      for (const { message, release } of releases) await markLate(table, [message], release.at);
      const writes = releases.flatMap(({ message, release }) => releaseWrites(table, message, release));
      const events = releases.flatMap(({ release }) => release.events);
      return commit(first.message, [...summedAdds(writes), ...releaseCounts(releases)], events);
    },
    async markUncertain(message, at, deadline, decision) {
      await markLate(table, [message], at);
      return change(
        message,
        {
          ...messageRows.set({ uncertain: true, deadline, updatedAt: at }),
          ...firstEntries(message),
          ...INDEX_KEYS.due('recover_send', message.id, deadline),
        },
        decision,
        keptState(message, at),
      );
    },
    reroute: (message, provider, decision) => change(message, messageRows.set({ provider }), decision),
    async claimQueued(message, provider, now, deadline) {
      await markLate(table, [message], now);
      const written = await table.write({
        update: KEYS.message(message.id),
        set: {
          ...messageRows.set({ status: 'sending', provider, deadline, dispatchedAt: now, updatedAt: now }),
          ...inFlightEntry(message, deadline),
        },
        setOnce: keptState(message, now),
        add: { fence: 1, attempts: 1 },
        when: {
          text: '#hold = :open AND #status = :queued AND #fence = :fence AND #deadline <= :now',
          values: { open: 'open', queued: 'queued', fence: message.fence, now },
        },
      });
      return written.ok && written.row ? messageRows.read(written.row) : undefined;
    },
    async claimExpired(message, now, deadline) {
      await markLate(table, [message], now);
      const written = await table.write({
        update: KEYS.message(message.id),
        set: {
          ...messageRows.set({ deadline }),
          ...firstEntries(message),
          ...INDEX_KEYS.due('recover_send', message.id, deadline),
        },
        setOnce: keptState(message, now),
        add: { fence: 1, inquiries: 1 },
        when: {
          text: '#hold = :open AND #status = :sending AND #fence = :fence AND #deadline <= :now',
          values: { open: 'open', sending: 'sending', fence: message.fence, now },
        },
      });
      return written.ok && written.row ? messageRows.read(written.row) : undefined;
    },
    async advance(message, transition) {
      await markLate(table, [message], transition.recordedAt);
      return commit(
        message,
        advanceWrites(message, transition),
        transition.events,
        fallbackWorkItems(message, transition.status),
      );
    },
  };
};
