import type { DispatchPorts } from '../../shared/queues/dispatch-due.ts';
import { type Dispatched, dispatchDue, shardsOf } from '../../shared/queues/dispatch-due.ts';
import { QUEUE_OF_KIND, type WorkItem } from '../../shared/queues/queues.ts';
import type { Table } from '../../shared/storage/client/table.ts';
import { overdueAfter } from '../../shared/storage/due-work/due.ts';
import { repeatDue } from '../../shared/storage/due-work/repeat.ts';
import { leaseShard } from '../../shared/storage/due-work/shard-lease.ts';
import { dueShards } from '../../shared/storage/table-indexes.ts';

/** The dispatcher over a table, with a queue that a test inspects. */
export interface TestDispatcher {
  /** The partition keys of the rows that were handed over, in their order. */
  readonly queued: string[];
  /** Unix ms. */
  now: number;
  /** The reported length of the queue. */
  depth: number;
  run(kind: WorkItem['kind']): Promise<Dispatched>;
}

/** Makes a dispatcher that runs on demand; ports may be replaced. */
export const makeDispatcher = (table: Table, now: number, replaced: Partial<DispatchPorts> = {}): TestDispatcher => {
  const dispatcher: TestDispatcher = {
    queued: [],
    now,
    depth: 0,
    run: async (kind) => {
      const counts = Object.fromEntries(Object.keys(QUEUE_OF_KIND).map((each) => [each, 0])) as Record<
        WorkItem['kind'],
        number
      >;
      const done = await dispatchDue(ports, shardsOf({ ...counts, [kind]: dueShards(kind) }, { slice: 0, of: 1 }));
      return done.get(kind) ?? { handedOver: 0, repeated: 0, setAside: 0 };
    },
  };
  const ports: DispatchPorts = {
    clock: () => dispatcher.now,
    queueDepth: async () => dispatcher.depth,
    timeLeft: () => true,
    lease: (shard) => leaseShard(table, shard, () => dispatcher.now),
    rows: (shard, after, until, limit) => {
      // As DynamoDB does; the embedded engine answers with nothing.
      if (after && after.dueAt > until) throw new RangeError('the start key is outside of the range');
      return overdueAfter(table, shard, after, until, limit);
    },
    handOver: async (_, rows) => void dispatcher.queued.push(...rows.map(({ pk }) => pk)),
    repeat: (shard, rows) => repeatDue(table, shard, rows, dispatcher.now),
    onFault: () => undefined,
    ...replaced,
  };
  return dispatcher;
};
