import type { MessageRecord } from '../../domain/message/message.ts';
import type { Settlement } from '../../domain/sending/message-store.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Table } from '../client/table.ts';
import { inTransactions, type TransactionPart } from '../client/transactions.ts';
import { groupedEntries, isEntryWrite } from '../wallet/entries.ts';
import { settleWrites, summedAdds } from './message-writes.ts';

/** A message that its provider accepted, and that raises no event. */
export interface Settling {
  readonly message: MessageRecord;
  readonly settlement: Settlement;
}

interface Part extends TransactionPart {
  readonly settling: Settling;
  readonly all: readonly WriteOp[];
}

/** Upper estimate of what a settlement writes, in bytes: none of it is a message's content. */
const BYTES = 10_000;

/** Whether a write can be merged with others: a ledger entry, or one that only adds to a row. */
const isShared = (write: WriteOp): boolean =>
  isEntryWrite(write) || ('update' in write && Object.keys(write).every((name) => name === 'update' || name === 'add'));

/**
 * Captures the holds of messages of one organization, each under its own fence, in as few transactions as possible; all add to one row of
 * captures, and their ledger entries are in one row. Returns in order whether each is settled. One that is not can be retried individually: its own condition failed, or that of
 * another did.
 */
export const settleTogether = async (table: Table, all: readonly Settling[]): Promise<readonly boolean[]> => {
  const [first] = all;
  if (!first) return [];
  const parts = all.map((settling): Part => {
    const { message, settlement } = settling;
    const writes = settleWrites(table, message, settlement, first.message.id);
    return { settling, all: writes, writes: writes.filter((write) => !isShared(write)), besides: 1, bytes: BYTES };
  });
  const settled = new Set<Settling>();
  for (const transaction of inTransactions(parts)) {
    const { ok } = await table.transact(groupedEntries(summedAdds(transaction.flatMap((part) => part.all))));
    if (ok) for (const { settling } of transaction) settled.add(settling);
  }
  return all.map((one) => settled.has(one));
};
