import type { Id } from '../../domain/core/ids.ts';
import type { Table } from '../client/table.ts';
import { skipNumbers } from './feed-log.ts';
import { webhookStore } from './subscriptions.ts';

/**
 * Leaves out `by` sequence numbers in each of an organization's subscriptions, after a restore: its receivers know the numbers of the events that
 * the table no longer has. Returns how many subscriptions there are.
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
