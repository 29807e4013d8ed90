import { batchConcurrent } from './batch-concurrent.ts';
import type { Table } from './table.ts';

type Read = () => Promise<unknown>;

const open = () =>
  batchConcurrent(async (reads: readonly Read[]) => {
    const [first] = reads;
    const found = await first?.();
    return reads.map(() => found);
  }, Number.POSITIVE_INFINITY);
const shared = new WeakMap<Table, ReturnType<typeof open>>();

/**
 * Reads once for concurrent callers of this process: those that ask for the same `name` while one read runs share the next. Each gets the
 * result of a read that began after it asked, so that a strongly consistent read stays one. The result is shared and must not be changed.
 */
export const sharedRead = async <Found>(table: Table, name: string, read: () => Promise<Found>): Promise<Found> => {
  const ask = shared.get(table) ?? open();
  shared.set(table, ask);
  // Reads of one name find the same type.
  return (await ask(name, read)) as Found;
};
