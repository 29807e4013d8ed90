import * as z from 'zod';
import type { Actor } from '../../domain/core/actor.ts';
import { mapConcurrently } from '../../domain/core/map-concurrently.ts';
import { maskText } from '../../domain/core/mask-text.ts';
import { isoTime } from '../../domain/core/time.ts';
import type { PeekedMessage } from '../../queues/dead-letters.ts';
import { QUEUE_NAMES, QUEUES, type QueueName, type WorkItem } from '../../queues/queues.ts';
import { type LastFailure, readLastFailures } from '../../storage/due-work/dead-letters.ts';
import { backlogSeconds } from '../../storage/due-work/overdue-work.ts';
import { clock, operatedQueues, table } from '../process/aws.ts';
import { recordAct, recordView } from './acts.ts';

/** Queues read concurrently: each queries the due index for all its kinds of work. */
const QUEUES_AT_ONCE = 3;

/** Every queue with its depth, its dead letters, and the age of its oldest work in the table. */
export const listQueues = async (actor: Actor) => {
  await recordView(actor, 'queues');
  const operator = await operatedQueues();
  const items = await mapConcurrently(QUEUE_NAMES, QUEUES_AT_ONCE, async (queue) => {
    const [depth, oldestDueSeconds] = await Promise.all([operator.depth(queue), backlogSeconds(table, queue, clock())]);
    return { queue, ...depth, oldestDueSeconds };
  });
  return { items };
};

const readWork = (queue: QueueName, body: string): WorkItem | undefined => {
  try {
    return QUEUES[queue].message.parse(JSON.parse(body)) as WorkItem;
  } catch {
    return undefined;
  }
};

const dueRow = z.object({ duePk: z.string(), dueAt: z.number() });

/** Whether each row is still due and not set aside, in the order of the work. */
const areDue = async (work: readonly (WorkItem | undefined)[]): Promise<readonly boolean[]> => {
  const keys = [...new Map(work.flatMap((item) => (item ? [[`${item.pk} ${item.sk}`, item] as const] : []))).values()];
  if (keys.length === 0) return work.map(() => false);
  const rows = await table.getMany(keys.map(({ pk, sk }) => ({ pk, sk })));
  const due = new Set(
    keys.flatMap(({ pk, sk }, at) => {
      const state = dueRow.safeParse(rows[at]);
      return state.success && state.data.duePk.startsWith('DUE#') ? [`${pk} ${sk}`] : [];
    }),
  );
  return work.map((item) => item !== undefined && due.has(`${item.pk} ${item.sk}`));
};

const shownFailure = ({ fault, reason, at }: LastFailure) => ({ fault, reason: maskText(reason), at: isoTime(at) });

const shownLetter = (
  { id, sentAt, receives }: PeekedMessage,
  work: WorkItem | undefined,
  failure: LastFailure | undefined,
  isDue: boolean,
) => ({
  id,
  sentAt,
  receives,
  ...(work ? { work } : {}),
  unreadable: work === undefined,
  ...(failure ? { lastFailure: shownFailure(failure) } : {}),
  isDue,
});

/** Up to `limit` dead letters of a queue, with why each died. The body of a message that is not a work item is not shown. */
export const peekDeadLetters = async (actor: Actor, queue: QueueName, limit: number) => {
  await recordAct(actor, { action: 'dead_letters.peeked', object: `queue/${queue}`, details: { count: limit } });
  const letters = await (await operatedQueues()).deadLetters(queue, limit);
  const work = letters.map(({ body }) => readWork(queue, body));
  const [failures, due] = await Promise.all([
    readLastFailures(
      table,
      letters.map(({ id }) => id),
    ),
    areDue(work),
  ]);
  return { items: letters.map((letter, at) => shownLetter(letter, work[at], failures[at], due[at] ?? false)) };
};

/** Moves dead letters back to their queue: those with the ids, or all. */
export const redriveDeadLetters = async (actor: Actor, queue: QueueName, ids: readonly string[] | undefined) => {
  const count = ids && { details: { count: ids.length } };
  await recordAct(actor, { action: 'dead_letters.redriven', object: `queue/${queue}`, ...count });
  const operator = await operatedQueues();
  if (ids) {
    const moved = await operator.redrive(queue, [...new Set(ids)]);
    const notFound = [...new Set(ids)].filter((id) => !moved.includes(id));
    return { queue, state: 'moved' as const, moved: moved.length, notFound };
  }
  return { queue, moved: 0, notFound: [], ...(await operator.redriveAll(queue)) };
};
