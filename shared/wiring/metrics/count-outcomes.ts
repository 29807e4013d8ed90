import { countChanges } from '../../storage/metrics/count-changes.ts';
import { readStreamBatch } from '../../storage/metrics/stream-changes.ts';
import { clock, table } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';

/** What Lambda is told of a window: nothing is carried from one batch to the next. */
interface WindowState {
  readonly state: Readonly<Record<string, never>>;
}

/** Counts what a batch of the table's stream tells of messages. Rejects for the whole batch, which is then repeated. */
export const countOutcomes = async (event: unknown): Promise<WindowState> => {
  const batch = readStreamBatch(event);
  const { shardId, unreadable } = batch;
  if (unreadable.length > 0) {
    logger.error('changes of messages cannot be counted', { shardId, sequenceNumbers: unreadable });
    measure({}, { UncountedChanges: unreadable.length });
  }
  await countChanges(table, batch, clock());
  return { state: {} };
};
