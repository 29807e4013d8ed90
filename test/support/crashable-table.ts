import { Table } from '../../shared/storage/client/table.ts';
import { Crashed, WRITES } from '../lists/crashes.ts';

/**
 * Has the process that uses a table end at its nth write from now on, counted from 0: before it, or once it is made and not yet answered. From then on no
 * call is made until `again`, whatever holds the table.
 */
export const crashable = (table: Table) => {
  const names = Object.getOwnPropertyNames(Table.prototype).filter(
    (name) => name !== 'constructor' && name !== 'named',
  );
  const own = table as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const again = () => {
    for (const name of names) delete own[name];
  };
  return {
    crashAt(nth: number, made: boolean): void {
      let writes = 0;
      let isEnded = false;
      for (const name of names) {
        const method = (Table.prototype as unknown as typeof own)[name];
        if (typeof method !== 'function') continue;
        own[name] = async (...args) => {
          const ends = !isEnded && WRITES.has(name) && writes++ === nth;
          isEnded ||= ends;
          if (!isEnded) return method.apply(table, args);
          if (ends && made) await method.apply(table, args);
          throw new Crashed('the process ended');
        };
      }
    },
    /** Restarts the process. */
    again,
  };
};
