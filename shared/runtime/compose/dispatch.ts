import { type DueHint, QUEUE_OF_DUE_KIND, type QueueName } from '../../queues/queues.ts';
import { overdue } from '../../storage/due.ts';
import { logger, measure } from '../observe.ts';
import { inScope } from '../scope.ts';
import { clock, hintsWaiting, publishDue, table } from './platform.ts';

/** Work that is overdue by less is most likely under way: its hint is in the queue, in ms. */
const GRACE_MS = 5_000;
/**
 * Hints that a queue may hold before no more are added. Overdue work whose hint still waits is handed over again at every run, since
 * nothing tells it from work whose hint was lost: without this bound a slow consumer's queue would grow for nothing.
 */
const MOST_WAITING = 2_000;

/** Hands overdue rows to their queues. Reads only what is overdue, by kind, oldest first. */
export const dispatchDue = (): Promise<Readonly<Record<string, number>>> => inScope(handOver);

const handOver = async (): Promise<Readonly<Record<string, number>>> => {
  const handed: Record<string, number> = {};
  const room = new Map<QueueName, number>();
  for (const kind of Object.keys(QUEUE_OF_DUE_KIND) as DueHint['kind'][]) {
    const queue = QUEUE_OF_DUE_KIND[kind];
    const left = room.get(queue) ?? MOST_WAITING - (await hintsWaiting(queue));
    const hints = left > 0 ? await overdue(table, kind, clock() - GRACE_MS, left) : [];
    room.set(queue, left - hints.length);
    if (hints.length === 0) continue;
    publishDue(hints);
    handed[kind] = hints.length;
    measure({ kind }, { OverdueWork: hints.length });
  }
  if (Object.keys(handed).length > 0) logger.info('overdue work handed over', { handed });
  return handed;
};
