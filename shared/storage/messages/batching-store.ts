import type { MessageStore } from '../../domain/sending/message-store.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { batchConcurrent } from '../client/batch-concurrent.ts';
import { coalescedRead } from '../client/coalescer.ts';
import type { Table } from '../client/table.ts';
import { eventWorkItem } from '../due-work/outbox.ts';
import { takenEvents } from '../webhooks/takers.ts';
import { sentMessageOf } from './inbound-rows.ts';
import { markLate } from './late-changes.ts';
import { withTakenEvents } from './reserve.ts';
import { type BatchOutcome, batchingKey, mayJoin, reserveBatch } from './reserve-batch.ts';
import { type Settling, settleBatch } from './settle-batch.ts';

/** Maximum messages per batch: about what fits a transaction of 100 items. */
const MOST = { reserved: 30, settled: 30 } as const;

const APART: BatchOutcome = { kind: 'apart' };
/** Requests that fail together are retried individually, so that no message fails because of another. */
const orElse = async <Answer>(request: Promise<Answer>, alone: Answer): Promise<Answer> => request.catch(() => alone);

/**
 * A message store for a process that sends many messages of an organization concurrently, such as the SMPP service or the local stack:
 * reservations and settlements that arrive while another transaction of the organization is in progress share the next one. Each message
 * keeps its own rows, conditions and result: what cannot be decided together is decided by `alone`, whose repeat of a committed write
 * returns the original result.
 */
export const batchingStore = (
  table: Table,
  publish: (workItems: readonly Publishable[]) => void,
  alone: MessageStore,
): MessageStore => {
  const reserved = batchConcurrent(
    (reservations: readonly Parameters<MessageStore['reserve']>[0][]) =>
      reserveBatch(table, reservations, (events) => {
        if (events.length > 0) publish(events.map(eventWorkItem));
      }),
    MOST.reserved,
  );
  const settled = batchConcurrent((settling: readonly Settling[]) => settleBatch(table, settling), MOST.settled);
  return {
    ...alone,
    async reserve(given) {
      if (!mayJoin(given)) return alone.reserve(given);
      const reservation = await withTakenEvents(table, given);
      const outcome = await orElse(reserved(batchingKey(reservation), reservation), APART);
      return outcome.kind === 'apart' ? alone.reserve(reservation) : outcome;
    },
    async read(id) {
      const [row] = await coalescedRead(table, [KEYS.message(id)]);
      return sentMessageOf(row);
    },
    async settle(message, settlement) {
      const events = await takenEvents(table, message.organizationId, settlement.events);
      if (events.length > 0) return alone.settle(message, settlement);
      await markLate(table, [message], settlement.at);
      const isSettled = await orElse(
        settled(message.organizationId, { message, settlement: { ...settlement, events } }),
        false,
      );
      return isSettled || alone.settle(message, settlement);
    },
  };
};
