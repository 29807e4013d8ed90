import type { Table } from '../../shared/storage/client/table.ts';

/** A call to a table: its name and arguments, and what makes it. */
interface TableCall {
  readonly name: PropertyKey;
  readonly args: readonly unknown[];
  readonly make: () => Promise<unknown>;
}

/** A table each of whose calls is made, or not, by `around`. */
export const tableWith = (table: Table, around: (call: TableCall) => Promise<unknown>): Table =>
  new Proxy(table, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => around({ name, args, make: async () => value.apply(target, args) });
    },
  });

/** The error of every call after the process ended. */
export class Crashed extends Error {
  override readonly name = 'Crashed';
}

export const WRITES: ReadonlySet<PropertyKey> = new Set<PropertyKey>(['write', 'putMany', 'transact']);

/** A table as a process has it that ends at its nth write, counted from 0: before it, or once it is made and not yet answered. */
export const crashingAt = (table: Table, nth: number, made: boolean): Table => {
  let writes = 0;
  let ended = false;
  return tableWith(table, async ({ name, make }) => {
    const ends = WRITES.has(name) && writes++ === nth;
    ended ||= ends;
    if (!ended) return make();
    if (ends && made) await make();
    throw new Crashed('the process ended');
  });
};
