import type { Id } from '../../domain/core/ids.ts';
import type { MessageRecord } from '../../domain/message/message.ts';
import { KEYS } from '../access-patterns.ts';
import type { Table } from '../client/table.ts';
import { messageRows } from '../messages/message-rows.ts';

/** Messages by their ids, in their order, consistent; undefined for those that have left the table. One round trip per 100. */
export const readMessagesById = async (
  table: Table,
  ids: readonly Id<'message'>[],
): Promise<(MessageRecord | undefined)[]> => {
  const rows = await table.getMany(ids.map(KEYS.message), { consistent: true });
  return rows.map((row) => row && messageRows.read(row));
};
