import { Table } from '../../shared/storage/client/table.ts';

/** Thrown in place of every call after the crash. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** A table whose process ends after so many calls: the next one and all that follow never arrive. */
export const crashingTable = (table: Table, calls: number): Table => {
  let left = calls;
  const crashing = new Table({} as never, table.name);
  const methods = ['get', 'getMany', 'putMany', 'query', 'queryAll', 'count', 'transact', 'write'] as const;
  for (const method of methods) {
    const call = async (...args: unknown[]): Promise<unknown> => {
      if (left-- <= 0) throw new Crash();
      return (table[method] as (...given: unknown[]) => Promise<unknown>)(...args);
    };
    Object.defineProperty(crashing, method, { value: call });
  }
  return crashing;
};

/** Runs work that crashes after 0, 1, 2, … calls, until it comes to its end; answers how many crashes that took. */
export const crashEverywhere = async (table: Table, work: (crashing: Table) => Promise<unknown>): Promise<number> => {
  for (let calls = 0; ; calls++) {
    try {
      await work(crashingTable(table, calls));
      return calls;
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
    }
  }
};
