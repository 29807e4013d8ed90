import * as z from 'zod';
import type { Id } from '../../domain/core/ids.ts';
import { PRIORITIES } from '../../domain/core/priority.ts';
import {
  type Fallback,
  type FallbackStep,
  fallbackOfMessage,
  NO_WAIT,
  type QueuedFallback,
  type StepTransition,
} from '../../domain/message/fallback.ts';
import { isDelivered, isFailed, type MessageRecord } from '../../domain/message/message.ts';
import type { AdvanceFallbackPorts } from '../../domain/sending/advance-fallback.ts';
import type { Publishable } from '../../queues/queues.ts';
import { KEYS } from '../access-patterns.ts';
import { id, tenant } from '../client/attributes.ts';
import { EXISTS } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { INDEX_KEYS } from '../index-patterns.ts';
import type { Sealer } from './queued.ts';

/** A fallback is kept as long as its messages' receipts. */
const KEEP_SECONDS = 30 * 24 * 3600;

interface StoredFallback extends Omit<Fallback, 'steps'> {
  /** Its steps, sealed; removed when it is over. */
  readonly steps: string;
  /** The messages of the steps so far. */
  readonly taken?: readonly Id<'message'>[];
}
const fallbackRows = defineRow<StoredFallback>()({
  attributes: {
    id: id('message'),
    ...tenant,
    steps: z.string(),
    taken: z.array(id('message')).exactOptional(),
    next: z.int(),
    current: id('message'),
    waitUntil: z.int(),
    state: z.enum(['waiting', 'delivered', 'exhausted', 'cancelled']),
    priority: z.enum(PRIORITIES).exactOptional(),
  },
  key: (fallback) => KEYS.fallback(fallback.id),
  index: (fallback) => INDEX_KEYS.due('fallback', fallback.id, fallback.waitUntil),
});

/** The write of a fallback that starts with this message, as part of the message's reservation. */
export const fallbackWrite = async (sealer: Sealer, fallback: Fallback, createdAt: number): Promise<WriteOp> => {
  const steps = await sealer.seal(fallback.organizationId, fallback.id, JSON.stringify(fallback.steps));
  // The first message may be scheduled later than a fallback is usually kept.
  const ttl = Math.ceil(Math.max(createdAt, fallback.waitUntil) / 1000) + KEEP_SECONDS;
  return { put: { ...fallbackRows.write({ ...fallback, steps }), ttl } };
};

/** Condition: the fallback is still waiting, at the step that was read. */
const isUnchanged = ({ next }: Fallback): Condition => ({
  text: '#state = :waiting AND #next = :next',
  values: { waiting: 'waiting', next },
});

/** Advances the fallback to its next step at a time (ms). */
const nextStep = (
  fallback: Fallback,
  at: number,
  changed: Partial<Pick<Fallback, 'current' | 'waitUntil'>>,
): WriteOp => ({
  update: KEYS.fallback(fallback.id),
  set: {
    ...fallbackRows.set({ ...changed, next: fallback.next + 1 }),
    ...INDEX_KEYS.due('fallback', fallback.id, at),
  },
  when: isUnchanged(fallback),
});

/** Ends a fallback and removes it from the due index. */
const end = (fallbackId: Id<'message'>, state: Fallback['state'], when?: Condition): WriteOp => ({
  update: KEYS.fallback(fallbackId),
  set: fallbackRows.set({ state }),
  remove: ['duePk', 'dueAt', 'steps'],
  ...(when ? { when } : {}),
});

/** The remaining row of an ended fallback. */
const endedFallback = z.object({ taken: z.array(id('message')).default([]) });

/**
 * Ends the fallback that starts with a message and deletes its steps, if there is one, so that no step follows. Returns the messages of the
 * steps so far. Idempotent.
 */
export const dropFallback = async (table: Table, firstMessageId: Id<'message'>): Promise<readonly Id<'message'>[]> => {
  const { row } = await table.write(end(firstMessageId, 'cancelled', EXISTS));
  return endedFallback.parse(row ?? {}).taken;
};

/**
 * The writes that advance the fallback to the next message. Condition: the fallback is unchanged, and its current message, whose timeline
 * gets an entry, is not delivered.
 */
export const stepWrites = (
  { fallback, waitUntil }: StepTransition,
  { id, channel, createdAt }: Pick<MessageRecord, 'id' | 'channel' | 'createdAt'>,
): WriteOp[] => [
  { ...nextStep(fallback, waitUntil, { current: id, waitUntil }), append: { taken: [id] } },
  {
    update: KEYS.message(fallback.current),
    append: {
      decisions: [
        { at: createdAt, kind: 'fallback', detail: `step=${fallback.next + 1} channel=${channel} sent as ${id}` },
      ],
    },
    when: {
      text: 'attribute_exists(#pk) AND NOT #status IN (:delivered, :read, :complained)',
      values: { delivered: 'delivered', read: 'read', complained: 'complained' },
    },
  },
];

/** The effect of a message's new status on its fallback: it ends, or is due immediately. */
export const fallbackStatusWrites = (message: MessageRecord, at: number): WriteOp[] => {
  const { fallbackId } = message;
  if (!fallbackId) return [];
  if (message.reason === 'cancelled') return [end(fallbackId, 'cancelled')];
  if (isDelivered(message)) return [end(fallbackId, 'delivered')];
  return isFailed(message)
    ? [{ update: KEYS.fallback(fallbackId), set: INDEX_KEYS.due('fallback', fallbackId, at) }]
    : [];
};

/** The work item that advances a fallback. */
export const fallbackWorkItem = ({ id, organizationId: owner, priority }: QueuedFallback): Publishable => ({
  kind: 'fallback',
  ...KEYS.fallback(id),
  owner,
  priority,
});

/** The work item that advances a failed message's fallback. */
export const fallbackWorkItems = (
  message: MessageRecord,
  status: MessageRecord['status'] | undefined,
): Publishable[] => {
  const fallback = fallbackOfMessage(message);
  return fallback && status && isFailed({ ...message, status }) ? [fallbackWorkItem(fallback)] : [];
};

/** Fallbacks in the table of one stage. */
export const fallbackStore = (
  table: Table,
  sealer: Sealer,
): Pick<AdvanceFallbackPorts, 'readFallback' | 'rescheduleFallback' | 'endFallback' | 'skipStep'> => ({
  async readFallback(id) {
    const row = await table.get(KEYS.fallback(id));
    if (!row) return undefined;
    if (row.steps === undefined) {
      // The message made it due again, though the fallback has ended or is gone: removes it from the due index.
      await table.write({ update: KEYS.fallback(id), remove: ['duePk', 'dueAt'], when: EXISTS });
      return undefined;
    }
    const fallback = fallbackRows.read(row);
    const opened = await sealer.open(fallback.organizationId, id, fallback.steps);
    return { ...fallback, steps: JSON.parse(opened) as FallbackStep[] };
  },
  async rescheduleFallback(fallback, at) {
    const set = INDEX_KEYS.due('fallback', fallback.id, at);
    await table.write({ update: KEYS.fallback(fallback.id), set, when: isUnchanged(fallback) });
  },
  async endFallback(fallback, state) {
    await table.write(end(fallback.id, state, isUnchanged(fallback)));
  },
  async skipStep(fallback, decision) {
    const { ok } = await table.transact([
      nextStep(fallback, decision.at, { waitUntil: NO_WAIT }),
      { update: KEYS.message(fallback.id), append: { decisions: [decision] }, when: EXISTS },
    ]);
    return ok;
  },
});
