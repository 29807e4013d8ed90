import { ensureTable } from '../infra/local/resources.ts';
import { FINDS, KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client.ts';
import type { WriteOp } from '../shared/storage/expressions.ts';
import { Table } from '../shared/storage/table.ts';
import { startStore } from './processes.ts';

const ROWS = 6_000;
/** Rows of one transaction (DynamoDB, TransactWriteItems: 100 at most). */
const TOGETHER = 100;
const AT_ONCE = 2;
/** Characters of what a delivery's row holds besides its keys. */
const FIELDS = 'x'.repeat(400);

/** Runs the writes, a hundred a transaction, two under way at once. */
const writeAll = async (rows: Table, writes: readonly WriteOp[]): Promise<void> => {
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < writes.length) {
      const group = writes.slice(next, next + TOGETHER);
      next += TOGETHER;
      if (!(await rows.transact(group)).ok) throw new Error('a row was refused');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, writer));
};

/**
 * The least that a delivery with a row of its own asks of the engine: its row with its index entries put, and updated once, in the
 * largest transactions there are, and nothing else: no event, no sequence, no queue, no claim, no post, no attempt. Rows a second.
 */
export const rowsPerSecond = async (): Promise<number> => {
  const store = await startStore();
  try {
    const client = tableClient(store.endpoint);
    await ensureTable(client, 'rows');
    const rows = new Table(client, 'rows');
    const ids = Array.from({ length: ROWS }, (_, at) => `dlv_${String(at).padStart(21, '0')}`);
    const created = new Date().toISOString();
    const puts = ids.map((id, at): WriteOp => {
      const found = { ...FINDS.eventsOf('wbh_1', at), ...FINDS.deliveriesOf('wbh_1', created, id) };
      const due = FINDS.due('deliver_webhook', id, at);
      return { put: { ...KEYS.delivery(id), ...found, ...due, status: 'pending', fields: FIELDS } };
    });
    const updates = ids.map(
      (id): WriteOp => ({ update: KEYS.delivery(id), set: { status: 'delivered' }, remove: ['duePk', 'dueAt'] }),
    );
    const startedAt = performance.now();
    await writeAll(rows, puts);
    await writeAll(rows, updates);
    return (ROWS * 1_000) / (performance.now() - startedAt);
  } finally {
    await store.stop();
  }
};
