import type { MessageRecord } from '../../domain/message/message.ts';
import type { Settlement } from '../../domain/sending/message-store.ts';
import type { WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import type { Table } from '../client/table.ts';
import { inTransactions, type TransactionPart, writeName } from '../client/transactions.ts';
import { groupedEntries, isEntryWrite } from '../wallet/entries.ts';
import { settleWrites, summedAdds } from './message-writes.ts';
import { referenceRows } from './reference-rows.ts';

/** A message that its provider accepted, and that raises no event. */
export interface Settling {
  readonly message: MessageRecord;
  readonly settlement: Settlement;
}

interface Part extends TransactionPart {
  readonly settling: Settling;
  readonly all: readonly WriteOp[];
  readonly references: readonly Row[];
}

/** Upper estimate of what a settlement writes, in bytes: none of it is a message's content. */
const BYTES = 10_000;

/** Whether a write can be merged with others: a ledger entry, or one that only adds to a row. */
const isShared = (write: WriteOp): boolean =>
  isEntryWrite(write) || ('update' in write && Object.keys(write).every((name) => name === 'update' || name === 'add'));

const partOf = (table: Table, settling: Settling, shardBy: MessageRecord['id']): Part => {
  const { message, settlement } = settling;
  const all = settleWrites(table, message, settlement, shardBy);
  const references = referenceRows(message, settlement);
  const writes = all.filter((write) => !isShared(write));
  return { settling, all, references, writes, besides: 1 + references.length, bytes: BYTES };
};

/** The writes of the rows, each row once: of messages to the same recipient, the last one is found by a reply. */
const latest = (rows: readonly Row[]): WriteOp[] => [
  ...new Map(rows.map((put): WriteOp => ({ put })).map((write) => [writeName(write), write])).values(),
];

/**
 * Captures the holds of messages of one organization, each under its own fence, in as few transactions as possible: all add to one row of
 * captures, share a row of the ledger, and bring the rows by which callbacks find them. Returns in order whether each is settled. One that is
 * not can be retried individually: its own condition failed, or that of another did.
 */
export const settleBatch = async (table: Table, all: readonly Settling[]): Promise<readonly boolean[]> => {
  const [first, ...others] = all;
  if (!first) return [];
  const parts = all.map((settling) => partOf(table, settling, first.message.id));
  // By itself, a row costs half of what it costs in a transaction.
  const isAlone = others.length === 0;
  const found = parts.flatMap(({ references }) => references);
  if (isAlone && found.length > 0) await table.putMany(found);
  const settled = new Set<Settling>();
  for (const transaction of inTransactions(parts)) {
    const writes = groupedEntries(summedAdds(transaction.flatMap((part) => part.all)));
    const references = isAlone ? [] : latest(transaction.flatMap((part) => part.references));
    const { ok } = await table.transact([...writes, ...references]);
    if (ok) for (const { settling } of transaction) settled.add(settling);
  }
  return all.map((one) => settled.has(one));
};
