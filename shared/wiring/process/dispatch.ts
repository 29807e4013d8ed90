import { dispatchDue } from '../../queues/dispatch-due.ts';
import { overdue } from '../../storage/due-work/due.ts';
import { clock, publishWork, queueDepth, table } from './aws.ts';
import { logger, measure } from './observe.ts';

/** Publishes overdue work again and reports how much of each kind there was. */
export const dispatchOverdue = async (): Promise<Readonly<Record<string, number>>> => {
  const published = await dispatchDue({
    clock,
    queueDepth,
    overdue: (kind, before, limit) => overdue(table, kind, before, limit),
    publish: (workItems) => publishWork(workItems),
  });
  for (const [kind, count] of Object.entries(published)) measure({ kind }, { OverdueWork: count });
  if (Object.keys(published).length > 0) logger.info('overdue work published', { published });
  return published;
};
