import { QUEUE_OF_KIND, type QueueName, type WorkItem } from './queues.ts';

/**
 * Work overdue by less than this, in ms, is most likely already in its queue, and rows that are due earlier may not be in the index yet,
 * which can lag by two seconds. Work claimed by a crashed worker waits for the end of its claim plus this.
 */
export const GRACE_MS = 2_500;
/** Rows published between two saves of a shard's position: at most these are published twice after a crash. */
const PAGE = 250;
/** Pages of a shard before the next shard is processed, so that no kind delays another. */
const PAGES_A_TURN = 4;
/** How long a row may stay in the index after it was published, in ms, before it is published again. */
const REPEAT_MS = 60_000;
/** The queue depth above which nothing is published again, since rows that are still due may be waiting in the queue. */
const MAX_WAITING = 1_000;

/** A partition of the due index. */
export interface DueShard {
  readonly kind: WorkItem['kind'];
  readonly shard: number;
}

/** The position of a row in its shard. */
export interface DuePosition {
  readonly dueAt: number;
  readonly pk: string;
  readonly sk: string;
}

/** The dispatchers' progress in a shard. */
export interface ShardProgress {
  /** The last published row: all before it were published, too. Absent until the first. */
  readonly front?: DuePosition | undefined;
  /** From `repeatAt` (ms) on, rows that are still due and were due until `repeatTo` (ms) are published again. */
  readonly repeatTo?: number | undefined;
  readonly repeatAt?: number | undefined;
}

/** An exclusive lease on a shard, for some seconds. */
export interface ShardLease {
  readonly progress: ShardProgress;
  /** Saves the progress and renews the lease; false if another dispatcher has it. */
  save(progress: ShardProgress): Promise<boolean>;
  /** Releases the lease, saving the progress if given. */
  release(progress?: ShardProgress): Promise<void>;
}

/** The number of rows that were queued again, and that were set aside. */
export interface Repeated {
  readonly repeated: number;
  readonly setAside: number;
}

export interface ShardPorts {
  /** Unix ms. */
  readonly clock: () => number;
  /** The approximate number of messages in a queue. */
  readonly queueDepth: (queue: QueueName) => Promise<number>;
  /** Leases a shard; undefined while another dispatcher has it. */
  readonly lease: (shard: DueShard) => Promise<ShardLease | undefined>;
  /** Up to `limit` rows after a position (from the first if undefined) that were due until `until` (ms), in order. */
  readonly rows: (
    shard: DueShard,
    after: DuePosition | undefined,
    until: number,
    limit: number,
  ) => Promise<readonly DuePosition[]>;
  /** Publishes rows. Rejects unless the queue has all of them. */
  readonly handOver: (shard: DueShard, rows: readonly DuePosition[]) => Promise<void>;
  /** Makes rows due again, or sets aside those that were repeated too often. */
  readonly repeat: (shard: DueShard, rows: readonly DuePosition[]) => Promise<Repeated>;
}

/** The result of processing a shard; `more` if it has more rows to publish. */
export interface Turn extends Repeated {
  readonly handedOver: number;
  readonly more: boolean;
}
const IDLE: Turn = { handedOver: 0, repeated: 0, setAside: 0, more: false };

/** Whether a position is beyond the range of a query, which DynamoDB rejects: this process's clock is behind another's. */
const isBeyond = (front: DuePosition | undefined, until: number): boolean => front !== undefined && front.dueAt > until;

/** Publishes rows after the front, page by page; undefined if another dispatcher took over the shard. */
const advance = async (ports: ShardPorts, shard: DueShard, lease: ShardLease, until: number) => {
  let { progress } = lease;
  let handedOver = 0;
  for (let page = 0; page < PAGES_A_TURN; page++) {
    const rows = isBeyond(progress.front, until) ? [] : await ports.rows(shard, progress.front, until, PAGE);
    if (rows.length > 0) await ports.handOver(shard, rows);
    handedOver += rows.length;
    progress = { ...progress, front: rows.at(-1) ?? progress.front };
    if (rows.length < PAGE) return { progress, handedOver, more: false };
    if (!(await lease.save(progress))) return undefined;
  }
  return { progress, handedOver, more: true };
};

/**
 * Publishes rows again that were published long ago and are still due, because their message was lost or their work fails. Not while the
 * queue is long, since they may be waiting in it.
 */
const repeatOld = async (ports: ShardPorts, shard: DueShard, progress: ShardProgress) => {
  const { front, repeatTo, repeatAt = 0 } = progress;
  const now = ports.clock();
  const done = { repeated: 0, setAside: 0 };
  if (!front || now < repeatAt) return { progress, done };
  if (repeatTo !== undefined) {
    const first = await ports.rows(shard, undefined, repeatTo, PAGE);
    if (first.length > 0 && (await ports.queueDepth(QUEUE_OF_KIND[shard.kind])) > MAX_WAITING)
      return { progress, done };
    for (let rows = first, page = 1; rows.length > 0; page++) {
      const { repeated, setAside } = await ports.repeat(shard, rows);
      done.repeated += repeated;
      done.setAside += setAside;
      // The rest is examined in the next run.
      if (page === PAGES_A_TURN && rows.length === PAGE) return { progress, done };
      rows = rows.length < PAGE ? [] : await ports.rows(shard, rows.at(-1), repeatTo, PAGE);
    }
  }
  return { progress: { front, repeatTo: front.dueAt, repeatAt: now + REPEAT_MS }, done };
};

/**
 * Processes a leased shard once: publishes rows that became due since the last run, each once, and periodically rows that are still due. A
 * shard without overdue rows costs one query. Rejects if the queue does not accept them: the next run starts from the last saved page.
 */
export const dispatchShard = async (ports: ShardPorts, shard: DueShard): Promise<Turn> => {
  const until = ports.clock() - GRACE_MS;
  const [overdue] = await ports.rows(shard, undefined, until, 1);
  if (!overdue) return IDLE;
  const lease = await ports.lease(shard);
  if (!lease) return IDLE;
  let progress: ShardProgress | undefined;
  try {
    const advanced = await advance(ports, shard, lease, until);
    if (!advanced) return IDLE;
    progress = advanced.progress;
    const { handedOver, more } = advanced;
    if (more) return { ...IDLE, handedOver, more };
    const old = await repeatOld(ports, shard, progress);
    progress = old.progress;
    return { ...old.done, handedOver, more };
  } finally {
    await lease.release(progress);
  }
};
