import { QUEUE_OF_KIND, type QueueName, type WorkItem } from '../../queues/queues.ts';
import { processSendQueueItem } from './send.ts';

type Outcomes = Promise<readonly PromiseSettledResult<unknown>[]>;

const each =
  (work: (item: WorkItem) => Promise<void>) =>
  (items: readonly WorkItem[]): Outcomes =>
    Promise.allSettled(items.map(async (item) => work(item)));

/** The processors of critical items by kind; loaded on first use, to keep them out of a send's cold start. */
const WORK: Readonly<Partial<Record<QueueName, (items: readonly WorkItem[]) => Outcomes>>> = {
  send: each(processSendQueueItem),
  outcome: async (items) => (await import('../messages/outcomes.ts')).processOutcomeItems(items),
  events: async (items) => (await import('../webhooks/webhooks.ts')).publishCommitted(items),
  push: async (items) => each((await import('../push/send.ts')).processPushItem)(items),
};

const WRONG_QUEUE: PromiseRejectedResult = {
  status: 'rejected',
  reason: new TypeError('this kind of work has a queue of its own'),
};

/**
 * Processes a batch of critical work of several kinds: each kind as a batch, all kinds concurrently. Results are in order; each item fails
 * on its own.
 */
export const processCriticalItems = async (workItems: readonly WorkItem[]): Outcomes => {
  const results: PromiseSettledResult<unknown>[] = workItems.map(() => WRONG_QUEUE);
  const places = Map.groupBy(workItems.entries(), ([, { kind }]) => QUEUE_OF_KIND[kind]);
  const work = async (queue: QueueName, of: readonly (readonly [number, WorkItem])[]): Promise<void> => {
    const [done] = await Promise.allSettled([WORK[queue]?.(of.map(([, item]) => item)) ?? []]);
    for (const [index, [at]] of of.entries())
      results[at] = done.status === 'rejected' ? done : (done.value[index] ?? WRONG_QUEUE);
  };
  await Promise.all([...places].map(([queue, of]) => work(queue, of)));
  return results;
};
