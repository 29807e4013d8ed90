import { QUEUE_OF_KIND, type QueueName, type WorkItem } from './queues.ts';

/** Work overdue by less than this is most likely in its queue already, in ms. */
const GRACE_MS = 5_000;
/**
 * Queue depth above which nothing is added. Every run publishes all overdue work again, since it cannot tell queued items from lost ones;
 * without this bound the queue of a slow consumer would grow with duplicates.
 */
const MAX_WAITING = 2_000;

export interface DispatchPorts {
  /** Unix ms. */
  readonly clock: () => number;
  /** The approximate number of messages in a queue. */
  readonly queueDepth: (queue: QueueName) => Promise<number>;
  /** Up to `limit` rows of a kind that were due before `before` (ms), oldest first. */
  readonly overdue: (kind: WorkItem['kind'], before: number, limit: number) => Promise<readonly WorkItem[]>;
  readonly publish: (workItems: readonly WorkItem[]) => void;
}

/** Publishes work items for overdue rows, oldest first per kind; answers how many of each kind. */
export const dispatchDue = async (ports: DispatchPorts): Promise<Readonly<Record<string, number>>> => {
  const published: Record<string, number> = {};
  const capacity = new Map<QueueName, number>();
  for (const kind of Object.keys(QUEUE_OF_KIND) as WorkItem['kind'][]) {
    const queue = QUEUE_OF_KIND[kind];
    const left = capacity.get(queue) ?? MAX_WAITING - (await ports.queueDepth(queue));
    const workItems = left > 0 ? await ports.overdue(kind, ports.clock() - GRACE_MS, left) : [];
    capacity.set(queue, left - workItems.length);
    if (workItems.length === 0) continue;
    ports.publish(workItems);
    published[kind] = workItems.length;
  }
  return published;
};
