import { expect } from 'vitest';
import { FAULTS } from './fault-proxy.ts';
import type { TableFaults } from './world-tables.ts';

const WRITES = new Set(['UpdateItem', 'TransactWriteItems']);

/** The result of work whose first write to a row with this text in its key is made, but its answer lost, so that it is repeated. */
export const withLostAnswer = async <T>(proxy: TableFaults, text: string, work: () => Promise<T>): Promise<T> => {
  let writes = 0;
  proxy.plan(({ action, body }) =>
    WRITES.has(action) && body.includes(text) && writes++ === 0 ? FAULTS.loseAnswer : undefined,
  );
  try {
    const result = await work();
    expect(writes).toBeGreaterThan(1);
    return result;
  } finally {
    proxy.plan(undefined);
  }
};
