import { REFUND_DELAY_MS } from '../../domain/bulk/escrow.ts';
import type { Id } from '../../domain/core/ids.ts';
import type { DomainEvent } from '../../domain/events/event.ts';
import type { Decision, MessageRecord } from '../../domain/message/message.ts';
import type { MessageStore, Reservation } from '../../domain/sending/message-store.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { signalWorkItems } from '../automation/run-signals.ts';
import { updateOnce } from '../client/claim-mark.ts';
import type { Update, WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { parseSentCounts } from '../contacts/sent-counts.ts';
import { eventWorkItem, eventWrite } from '../due-work/outbox.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { claimMessage } from './claims.ts';
import { fallbackWorkItems } from './fallbacks.ts';
import { escrowWorkItems } from './holds.ts';
import { sentMessageOf } from './inbound-rows.ts';
import { keptState, markLate } from './late-changes.ts';
import { firstEntries, inFlightEntry, messageRows } from './message-rows.ts';
import {
  advanceWrites,
  batchReleaseWrites,
  releaseWrites,
  settleWrites,
  signalOfAdvance,
  underFence,
} from './message-writes.ts';
import type { Sealer } from './queued.ts';
import { referenceRows } from './reference-rows.ts';
import { reserve, withTakenEvents } from './reserve.ts';

/**
 * The message store over the single table. `publish` enqueues committed work early; best effort, since the work is found by its due time.
 */
export const messageStore = (
  table: Table,
  publish: (workItems: readonly Publishable[], delaySeconds?: number) => void,
  sealer: Sealer,
): MessageStore => {
  /** Commits a change together with its events that have subscribers. A single row needs no transaction, which would cost twice as much. */
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
    const changed: Update = {
      update: KEYS.message(message.id),
      set,
      setOnce,
      append: { decisions: [decision] },
      when: underFence(message),
    };
    return (await updateOnce(table, changed, 'mark')) !== undefined;
  };
  const read = async (id: Id<'message'>): Promise<MessageRecord | undefined> =>
    sentMessageOf(await table.get(KEYS.message(id)));
  /** A repeat of its own commit fails its condition: the current row shows whether it was ours. */
  const orAlready = async (done: boolean, message: MessageRecord, hold: 'captured' | 'released'): Promise<boolean> => {
    if (done) return true;
    const now = await read(message.id);
    return now?.hold === hold && now.fence === message.fence;
  };
  return {
    read,
    sentTo: async (contactId) => parseSentCounts(await table.get(KEYS.sentToContact(contactId))),
    async reserve(reservation: Reservation) {
      return reserve(table, await withTakenEvents(table, reservation), sealer, (events) => {
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
      const done = await commit(message, releaseWrites(table, message, release), release.events, more);
      const escrowItems = done ? escrowWorkItems(message, release.withChunk) : [];
      if (escrowItems.length > 0) publish(escrowItems, REFUND_DELAY_MS / 1000);
      return orAlready(done, message, 'released');
    },
    async releaseBatch(releases) {
      const [first] = releases;
      if (!first) return true;
      for (const { message, release } of releases) await markLate(table, [message], release.at);
      const events = releases.flatMap(({ release }) => release.events);
      return commit(first.message, batchReleaseWrites(table, releases), events);
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
    claimQueued: (message, provider, now, deadline) =>
      claimMessage(table, message, now, {
        set: {
          ...messageRows.set({ status: 'sending', provider, deadline, dispatchedAt: now, updatedAt: now }),
          ...inFlightEntry(message, deadline),
        },
        counts: 'attempts',
        when: { text: '#status = :queued', values: { queued: 'queued' } },
      }),
    claimExpired: (message, now, deadline) =>
      claimMessage(table, message, now, {
        set: {
          ...messageRows.set({ deadline }),
          ...firstEntries(message),
          ...INDEX_KEYS.due('recover_send', message.id, deadline),
        },
        counts: 'inquiries',
        when: { text: '#status = :sending', values: { sending: 'sending' } },
      }),
    async advance(message, transition) {
      await markLate(table, [message], transition.recordedAt);
      return commit(message, advanceWrites(message, transition), transition.events, [
        ...fallbackWorkItems(message, transition.status),
        ...signalWorkItems(signalOfAdvance(message, transition)),
      ]);
    },
  };
};
