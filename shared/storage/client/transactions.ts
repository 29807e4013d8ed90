import { nameOf } from './batch-calls.ts';
import type { WriteOp } from './expressions.ts';

/** A group of writes that must be in one transaction, which it may share with other groups. */
export interface TransactionPart {
  readonly writes: readonly WriteOp[];
  /** Additional writes that the transaction may need for this group. */
  readonly besides?: number;
  /** The approximate size of its rows. */
  readonly bytes: number;
}

/** Maximum writes of one transaction, without its common ones, and approximate bytes. */
const MAX_WRITES = 90;
const MAX_BYTES = 2_000_000;

/** The key of a write as one text. */
export const writeName = (write: WriteOp): string => {
  const key =
    'put' in write ? write.put : 'update' in write ? write.update : 'delete' in write ? write.delete : write.check;
  return nameOf(key);
};

/** Distributes groups over transactions, in order: none writes a row twice, and none is too large. */
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
