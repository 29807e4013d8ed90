import type { Id } from '../../domain/core/ids.ts';
import type { Table } from '../client/table.ts';
import { skipNumbers } from './feed-log.ts';
import { webhookStore } from './subscriptions.ts';

/**
 * Skips `by` sequence numbers in each of an organization's subscriptions, after a restore: receivers have seen numbers of events that are
 * no longer in the table. Returns the number of subscriptions.
 */
export const advanceSequences = async (
  table: Table,
  organizationId: Id<'organization'>,
  by: number,
): Promise<number> => {
  const subscriptions = await webhookStore(table).list(organizationId);
  for (const { id } of subscriptions) await skipNumbers(table, id, by);
  return subscriptions.length;
};
