import * as z from 'zod';
import { dispatchDue, shardsOf } from '../../queues/dispatch-due.ts';
import type { DueShard } from '../../queues/dispatch-shard.ts';
import { QUEUE_OF_KIND, type WorkItem } from '../../queues/queues.ts';
import { overdueAfter } from '../../storage/due-work/due.ts';
import { publishables } from '../../storage/due-work/publishable.ts';
import { repeatDue } from '../../storage/due-work/repeat.ts';
import { leaseShard } from '../../storage/due-work/shard-lease.ts';
import { dueShards } from '../../storage/table-indexes.ts';
import { clock, handOver, queueDepth, table } from './aws.ts';
import { logger, measure } from './observe.ts';
import { remainingMs } from './scope.ts';

/** The time limit of a round that has started, in ms. */
const TURN_MS = 8_000;

const SHARD_COUNTS = Object.fromEntries(
  (Object.keys(QUEUE_OF_KIND) as WorkItem['kind'][]).map((kind) => [kind, dueShards(kind)]),
) as Record<WorkItem['kind'], number>;

/** The number and index of this dispatcher; the only one by default. */
const dispatchEvent = z.object({ slice: z.int().min(0).default(0), of: z.int().min(1).default(1) });

const onFault = ({ kind, shard }: DueShard, error: unknown): void => {
  measure({ queue: QUEUE_OF_KIND[kind] }, { PublishFailures: 1 });
  const fault = error instanceof Error ? error.name : 'not an Error';
  logger.warn('overdue work could not be handed over', { kind, shard, fault });
};

/**
 * Publishes overdue work in a part of the due index, until nothing is left or the invocation's time is up, and reports how much of each
 * kind there was.
 */
export const dispatchOverdue = async (event: unknown): Promise<void> => {
  const dispatched = await dispatchDue(
    {
      clock,
      queueDepth,
      timeLeft: () => remainingMs() > TURN_MS,
      lease: (shard) => leaseShard(table, shard, clock),
      rows: (shard, after, until, limit) => overdueAfter(table, shard, after, until, limit),
      handOver: async (shard, rows) => handOver(await publishables(table, shard, rows)),
      repeat: (shard, rows) => repeatDue(table, shard, rows, clock()),
      onFault,
    },
    shardsOf(SHARD_COUNTS, dispatchEvent.parse(event ?? {})),
  );
  let aside = 0;
  for (const [kind, { handedOver, repeated, setAside }] of dispatched) {
    measure({ kind }, { OverdueWork: handedOver, RepeatedWork: repeated });
    aside += setAside;
  }
  if (aside > 0) measure({}, { WorkSetAside: aside });
  if (dispatched.size > 0) logger.info('overdue work published', { dispatched: Object.fromEntries(dispatched) });
};
