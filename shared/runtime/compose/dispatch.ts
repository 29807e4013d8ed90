import { type DueHint, QUEUE_OF_DUE_KIND } from '../../queues/queues.ts';
import { overdue } from '../../storage/due.ts';
import { logger, measure } from '../observe.ts';
import { inScope } from '../scope.ts';
import { clock, publishDue, table } from './platform.ts';

/** Work that is overdue by less is most likely under way: its hint is in the queue, in ms. */
const GRACE_MS = 5_000;
/** Rows of a kind that one run hands over; the rest waits for the next run, the oldest first. */
const MOST_PER_KIND = 2_000;

/** Hands overdue rows to their queues. Reads only what is overdue, by kind, oldest first. */
export const dispatchDue = (): Promise<Readonly<Record<string, number>>> => inScope(handOver);

const handOver = async (): Promise<Readonly<Record<string, number>>> => {
  const handed: Record<string, number> = {};
  for (const kind of Object.keys(QUEUE_OF_DUE_KIND) as DueHint['kind'][]) {
    const hints = await overdue(table, kind, clock() - GRACE_MS, MOST_PER_KIND);
    if (hints.length === 0) continue;
    publishDue(hints);
    handed[kind] = hints.length;
    measure({ kind }, { OverdueWork: hints.length });
  }
  if (Object.keys(handed).length > 0) logger.info('overdue work handed over', { handed });
  return handed;
};
