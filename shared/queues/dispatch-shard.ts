import { QUEUE_OF_KIND, type QueueName, type WorkItem } from './queues.ts';

/**
 * Work overdue by less than this, in ms, is most likely in its queue already, and rows that are due earlier may not be in the index yet, which can take
 * two seconds. What a crashed worker had claimed waits for the end of its claim and this.
 */
export const GRACE_MS = 2_500;
/** Rows handed over between two saves of a shard's position: what a crash hands over twice. */
const PAGE = 250;
/** Pages of a shard before others have their turn, so that no kind waits for another. */
const PAGES_A_TURN = 4;
/** How long a row may stay in the index after it was handed over, in ms, before it is handed over again. */
const REPEAT_MS = 60_000;
/** Depth of a queue above which nothing is handed over again: what is still due may be waiting in it. */
const MAX_WAITING = 1_000;

/** A partition of the due index. */
export interface DueShard {
  readonly kind: WorkItem['kind'];
  readonly shard: number;
}

/** Where a row stands in its shard. */
export interface DuePosition {
  readonly dueAt: number;
  readonly pk: string;
  readonly sk: string;
}

/** What the dispatchers know of a shard. */
export interface ShardProgress {
  /** The latest row that was handed over: those before it were, too. Absent until the first. */
  readonly front?: DuePosition | undefined;
  /** From `repeatAt` (ms) on, rows that are still due and were due until `repeatTo` (ms) are handed over again. */
  readonly repeatTo?: number | undefined;
  readonly repeatAt?: number | undefined;
}

/** A shard that one dispatcher has to itself for some seconds. */
export interface ShardLease {
  readonly progress: ShardProgress;
  /** Saves the progress and renews the lease; false when another dispatcher has it. */
  save(progress: ShardProgress): Promise<boolean>;
  /** Lets others have it, with the progress where it is given. */
  release(progress?: ShardProgress): Promise<void>;
}

/** How many rows were queued again by their due time, and how many were set aside. */
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
  /** Up to `limit` rows after a position (from the first where it is undefined) that were due until `until` (ms), in their order. */
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

/** What a turn did; `more` when the shard has more to hand over. */
export interface Turn extends Repeated {
  readonly handedOver: number;
  readonly more: boolean;
}
const IDLE: Turn = { handedOver: 0, repeated: 0, setAside: 0, more: false };

/** Whether a position lies beyond the range of a query, which DynamoDB refuses: this process's clock is behind another's. */
const isBeyond = (front: DuePosition | undefined, until: number): boolean => front !== undefined && front.dueAt > until;

/** Hands over rows behind the front, page by page; undefined when another dispatcher took the shard over. */
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
 * Repeats the rows that were handed over long ago and are due all the same: their message was lost, or their work fails. Not while the queue is
 * long, where they may wait.
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
      // The rest is looked at in the next turn.
      if (page === PAGES_A_TURN && rows.length === PAGE) return { progress, done };
      rows = rows.length < PAGE ? [] : await ports.rows(shard, rows.at(-1), repeatTo, PAGE);
    }
  }
  return { progress: { front, repeatTo: front.dueAt, repeatAt: now + REPEAT_MS }, done };
};

/**
 * One dispatcher's turn with a shard: hands over what became due after the last turn, each row once, and from time to time repeats what is due
 * still. A shard without overdue rows costs one query. Rejects when the queue does not take them: the next turn starts from the last page saved.
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
