import type { WriteOp } from './expressions.ts';

/** What is written together or not at all, with other parts in one transaction. */
export interface TransactionPart {
  readonly writes: readonly WriteOp[];
  /** Writes that the transaction may have besides, for this part. */
  readonly besides?: number;
  /** About how large its rows are. */
  readonly bytes: number;
}

/** Writes of one transaction, those aside that belong to it as a whole, and about how many bytes. */
const MAX_WRITES = 90;
const MAX_BYTES = 2_000_000;

/** The key of a write as one text. */
export const writeName = (write: WriteOp): string => {
  const key =
    'put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check;
  return `${key.pk} ${key.sk}`;
};

/** Splits parts into transactions, in their order: none names a row twice, and none is too large. */
export const inTransactions = <P extends TransactionPart>(parts: readonly P[]): P[][] => {
  const transactions: P[][] = [];
  let names = new Set<string>();
  let count = 0;
  let bytes = 0;
  for (const part of parts) {
    const own = part.writes.map(writeName);
    const size = own.length + (part.besides ?? 0);
    const fits = count + size <= MAX_WRITES && bytes + part.bytes <= MAX_BYTES && !own.some((name) => names.has(name));
    if (!fits || transactions.length === 0) {
      transactions.push([]);
      names = new Set();
      count = 0;
      bytes = 0;
    }
    transactions.at(-1)?.push(part);
    for (const name of own) names.add(name);
    count += size;
    bytes += part.bytes;
  }
  return transactions;
};
