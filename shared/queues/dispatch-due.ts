import { type DueShard, dispatchShard, type ShardPorts, type Turn } from './dispatch-shard.ts';
import type { WorkItem } from './queues.ts';

/** Shards that one dispatcher processes concurrently. */
const CONCURRENT_SHARDS = 16;

export interface DispatchPorts extends ShardPorts {
  /** Whether there is time for another round. */
  readonly timeLeft: () => boolean;
  /** Called for a shard that failed; the others continue. */
  readonly onFault: (shard: DueShard, error: unknown) => void;
}

/** The results of a run for one kind of work. */
export type Dispatched = Omit<Turn, 'more'>;

/** The shards of one of `of` dispatchers: each has a part of every kind. */
export const shardsOf = (
  shardCounts: Readonly<Record<WorkItem['kind'], number>>,
  { slice, of }: { readonly slice: number; readonly of: number },
): DueShard[] =>
  (Object.entries(shardCounts) as [WorkItem['kind'], number][])
    .flatMap(([kind, count]) => Array.from({ length: count }, (_, shard) => ({ kind, shard })))
    .filter((_, at) => at % of === slice);

/**
 * Processes each shard once, and those with more work again after all others, until nothing is left or the time is up. Returns the results
 * per kind.
 */
export const dispatchDue = async (
  ports: DispatchPorts,
  shards: readonly DueShard[],
): Promise<ReadonlyMap<WorkItem['kind'], Dispatched>> => {
  const done = new Map<WorkItem['kind'], Dispatched>();
  const waiting = [...shards];
  const count = (kind: WorkItem['kind'], { handedOver, repeated, setAside }: Turn) => {
    if (handedOver + repeated + setAside === 0) return;
    const sum = done.get(kind) ?? { handedOver: 0, repeated: 0, setAside: 0 };
    done.set(kind, {
      handedOver: sum.handedOver + handedOver,
      repeated: sum.repeated + repeated,
      setAside: sum.setAside + setAside,
    });
  };
  const worker = async () => {
    for (let shard = waiting.shift(); shard; shard = waiting.shift()) {
      try {
        const turn = await dispatchShard(ports, shard);
        count(shard.kind, turn);
        if (turn.more && ports.timeLeft()) waiting.push(shard);
      } catch (error) {
        ports.onFault(shard, error);
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_SHARDS }, worker));
  return done;
};
