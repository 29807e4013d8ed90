import { type JudgePorts, judgeDestination } from '../../domain/sending/judge-destination.ts';
import type { WorkItem } from '../../queues/queues.ts';
import { KEYS } from '../../storage/access-patterns.ts';
import { eventWorkItem } from '../../storage/due-work/outbox.ts';
import { destinationCounts } from '../../storage/messages/destination-counts.ts';
import { holdDestination } from '../../storage/messages/destination-holds.ts';
import { PARSE_KEY } from '../../storage/parse-key.ts';
import { clock, publishWork, publishWorkAt, settings, table } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';

const ports: JudgePorts = {
  clock,
  counts: destinationCounts(table),
  hold: (hold) => holdDestination(table, hold),
  enqueue: ({ organizationId: owner, prefix, shard }, at) =>
    publishWorkAt([{ kind: 'judge_destination', ...KEYS.destinationCounts(owner, prefix, shard), owner }], at),
  onHeld: ({ organizationId, prefix, event }) => {
    publishWork([eventWorkItem(event)]);
    measure({}, { DestinationsHeld: 1 });
    logger.warn('destination held', { organizationId, prefix });
  },
};

/** Processes a work item of a destination's counts. Safe under repeats. */
export const processJudgement = (item: WorkItem): Promise<void> =>
  judgeDestination(ports, settings.STAGE, PARSE_KEY.destinationCounts(item));
