import { countsOfAdvance, countsOfRelease, countsOfSettlement } from '../../domain/message/automation-counts.ts';
import type { MessageRecord, MessageStatus } from '../../domain/message/message.ts';
import { happeningOf, type RunSignal, runSignal } from '../../domain/message/run-signal.ts';
import { stopsCounting } from '../../domain/sending/frequency.ts';
import type { Advance, Release, Settlement } from '../../domain/sending/message-store.ts';
import { UNIFIED_OF } from '../../domain/tracking/views.ts';
import { KEYS } from '../access-patterns.ts';
import { archiveExpiry } from '../archive/archive-expiry.ts';
import { messageCountWrites } from '../automation/counters.ts';
import { signalWrites } from '../automation/run-signals.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { uncountWrites } from '../contacts/sent-counts.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { reportWrites } from '../smpp/notice-writes.ts';
import { returnedPartsWrites } from '../smpp/parts-of-message.ts';
import { groupedEntries } from '../wallet/entries.ts';
import { countDeliveredWrites, countSentWrites } from './destination-counts.ts';
import { fallbackStatusWrites } from './fallbacks.ts';
import { captureWrites, moveWrites, refundWrites, releaseEntryWrites, returnWrites } from './holds.ts';
import { freedKey } from './idempotency.ts';
import { keptState } from './late-changes.ts';
import { firstEntries, isUnlisted, messageRows, withdrawal } from './message-rows.ts';
import { bodyDeletes } from './queued.ts';

/** Condition: the hold is open, under the fence that was read. */
export const underFence = (message: MessageRecord): Condition => ({
  text: '#hold = :open AND #fence = :fence',
  values: { open: 'open', fence: message.fence },
});

/**
 * The writes that capture the hold of a message that its provider accepted; only the first has a condition. `shardBy` as in
 * `captureWrites`.
 */
export const settleWrites = (
  table: Table,
  message: MessageRecord,
  settlement: Settlement,
  shardBy = message.id,
): WriteOp[] => {
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
        ...archiveExpiry(table, at),
        ...(outcomeAt === undefined ? {} : INDEX_KEYS.due('sandbox_outcome', id, outcomeAt)),
      },
      setOnce: keptState(message, at),
      append: { decisions: settlement.decisions },
      remove: outcomeAt === undefined ? ['duePk', 'dueAt', 'uncertain'] : ['uncertain'],
      when: underFence(message),
    },
    ...captureWrites(message, at, shardBy),
    ...countSentWrites(message, at),
    ...messageCountWrites([[message, countsOfSettlement(message)]]),
    ...reportWrites(message, { status: 'sent', at }),
    ...bodyDeletes(message),
  ];
};

const withoutCounts = (table: Table, message: MessageRecord, release: Release): WriteOp[] => {
  const { id } = message;
  const { at, reason, lastError } = release;
  const gone = release.withChunk ? withdrawal(message, at) : { set: firstEntries(message), remove: [] };
  return [
    {
      update: KEYS.message(id),
      set: {
        ...messageRows.set({ status: 'failed', hold: 'released', reason, lastError, failedAt: at, updatedAt: at }),
        ...gone.set,
        ...archiveExpiry(table, at),
      },
      setOnce: keptState(message, at),
      append: { decisions: release.decisions },
      remove: ['duePk', 'dueAt', 'uncertain', ...gone.remove],
      when: underFence(message),
    },
    ...releaseEntryWrites(message, at, 'failed', release.withChunk),
    ...returnWrites(message, release.withChunk),
    ...(release.freeKey ? [freedKey(message)] : []),
    ...(stopsCounting(message, reason, release.certain) ? uncountWrites(message) : []),
    ...bodyDeletes(message),
    ...(release.toCaller ? returnedPartsWrites(message) : []),
    // If it fails while its account waits, the submit is refused, without an id to report under; earlier parts have one.
    ...(release.toCaller || (isUnlisted(message) && !message.smpp?.assembled)
      ? []
      : reportWrites(message, { status: 'failed', reason, at })),
    ...fallbackStatusWrites({ ...message, status: 'failed', hold: 'released', reason }, at),
  ];
};

type Releasing = { readonly message: MessageRecord; readonly release: Release };
const releaseCounts = (releases: readonly Releasing[]): WriteOp[] =>
  messageCountWrites(releases.map(({ message, release }) => [message, countsOfRelease(message, release)] as const));

/** Merges writes that only add to the same row: a transaction may write each row only once. */
export const summedAdds = (writes: readonly WriteOp[]): WriteOp[] => {
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

/** The writes that release the hold of a message. */
export const releaseWrites = (table: Table, message: MessageRecord, release: Release): WriteOp[] => [
  ...withoutCounts(table, message, release),
  ...releaseCounts([{ message, release }]),
];

/** The writes that release the holds of several messages in one transaction: each row once. */
export const batchReleaseWrites = (table: Table, releases: readonly Releasing[]): WriteOp[] => [
  ...groupedEntries(summedAdds(releases.flatMap(({ message, release }) => withoutCounts(table, message, release)))),
  ...releaseCounts(releases),
];

/** The signal of an advance to the message's run. */
export const signalOfAdvance = (message: MessageRecord, { status, recordedAt }: Advance): RunSignal | undefined =>
  runSignal(message, happeningOf(message.status, status), recordedAt);

/** The time attribute that a status sets. */
const STAMPS: Readonly<Partial<Record<MessageStatus, 'deliveredAt' | 'readAt' | 'failedAt'>>> = {
  delivered: 'deliveredAt',
  read: 'readAt',
  failed: 'failedAt',
  undelivered: 'failedAt',
  bounced: 'failedAt',
};

/**
 * Condition: a resolved message is as it was read. Two changes within a millisecond have the same `updatedAt`; as status and carrier only move
 * forward, no other change that refunds can come between.
 */
const asRead = ({ status, updatedAt, via }: MessageRecord): Condition => ({
  text: `#status = :status AND #updatedAt = :updatedAt AND ${via === undefined ? 'attribute_not_exists(#via)' : '#via = :via'}`,
  values: messageRows.set({ status, updatedAt, via }),
});

/** The writes of a change of a resolved message. */
export const advanceWrites = (message: MessageRecord, transition: Advance): WriteOp[] => {
  const { status, reason, at, recordedAt, outcomeAt } = transition;
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
      when: asRead(message),
    },
    ...(transition.refund === undefined ? [] : refundWrites(message, transition.refund, transition.recordedAt)),
    ...(transition.receiptFingerprint ? [{ delete: KEYS.receipt(message.id, transition.receiptFingerprint) }] : []),
    ...(status ? fallbackStatusWrites({ ...message, status, reason: transition.reason }, transition.recordedAt) : []),
    ...(status ? moveWrites(message, UNIFIED_OF[status]) : []),
    ...countDeliveredWrites(message, status, transition.recordedAt),
    ...messageCountWrites([[message, countsOfAdvance(message, status, transition.refund)]]),
    ...signalWrites(signalOfAdvance(message, transition)),
    ...reportWrites(message, { status, reason, at, recordedAt }),
  ];
};
