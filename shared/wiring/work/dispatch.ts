import { QUEUE_OF_KIND, type QueueName, type WorkItem } from '../../queues/queues.ts';
import { overdue } from '../../storage/work/due.ts';
import { clock, publishWork, queueDepth, table } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';

/** Work overdue by less than this is most likely in its queue already, in ms. */
const GRACE_MS = 5_000;
/**
 * Queue depth above which nothing is added. Every run publishes all overdue work again, since it cannot tell queued items from lost ones;
 * without this bound the queue of a slow consumer would grow with duplicates.
 */
const MAX_WAITING = 2_000;

/** Publishes work items for overdue rows, oldest first per kind. */
export const dispatchDue = async (): Promise<Readonly<Record<string, number>>> => {
  const published: Record<string, number> = {};
  const capacity = new Map<QueueName, number>();
  for (const kind of Object.keys(QUEUE_OF_KIND) as WorkItem['kind'][]) {
    const queue = QUEUE_OF_KIND[kind];
    const left = capacity.get(queue) ?? MAX_WAITING - (await queueDepth(queue));
    const workItems = left > 0 ? await overdue(table, kind, clock() - GRACE_MS, left) : [];
    capacity.set(queue, left - workItems.length);
    if (workItems.length === 0) continue;
    publishWork(workItems);
    published[kind] = workItems.length;
    measure({ kind }, { OverdueWork: workItems.length });
  }
  if (Object.keys(published).length > 0) logger.info('overdue work handed over', { handed: published });
  return published;
};
