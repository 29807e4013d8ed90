import { countChanges } from '../../storage/metrics/count-changes.ts';
import { readStreamBatch } from '../../storage/metrics/stream-changes.ts';
import { clock, table } from '../process/aws.ts';
import { logger, measure } from '../process/observe.ts';

/** The state of a tumbling window: empty, since batches share none. */
interface WindowState {
  readonly state: Readonly<Record<string, never>>;
}

/** Counts the changes of messages in a batch of the table's stream. A rejection makes Lambda repeat the whole batch. */
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
