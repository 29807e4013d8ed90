import { ensureTable } from '../infra/local/resources.ts';
import { newId } from '../shared/domain/core/ids.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { KEYS } from '../shared/storage/access-patterns.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { WriteOp } from '../shared/storage/client/expressions.ts';
import { Table } from '../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../shared/storage/index-patterns.ts';
import { idNamed } from '../test/support/ids.ts';
import { inGroups, startStore } from './processes.ts';

const ROWS = 6_000;
/** Rows per transaction (DynamoDB, TransactWriteItems: 100 at most). */
const PER_TRANSACTION = 100;
const CONCURRENCY = 2;
/** As long as the non-key attributes of a delivery row. */
const FIELDS = 'x'.repeat(400);

/** Runs the writes, 100 per transaction, two transactions at a time. */
const writeAll = (rows: Table, writes: readonly WriteOp[]) =>
  mapConcurrently(inGroups(writes, PER_TRANSACTION), CONCURRENCY, async (group) => {
    if (!(await rows.transact(group)).ok) throw new Error('a row was refused');
  });

/**
 * The minimum that one row per delivery would cost the engine, in rows per second: puts each row with its index entries and updates it
 * once, in transactions of the maximum size. No event, sequence, queue, claim, post or attempt.
 */
export const rowsPerSecond = async (): Promise<number> => {
  const store = await startStore();
  try {
    const client = tableClient(store.endpoint);
    await ensureTable(client, 'rows');
    const rows = new Table(client, 'rows');
    const ids = Array.from({ length: ROWS }, (_, at) => idNamed('delivery', String(at).padStart(21, '0')));
    const created = new Date().toISOString();
    const webhookId = newId('webhook');
    const puts = ids.map((id, at): WriteOp => {
      const found = INDEX_KEYS.deliveriesOf(webhookId, created, id);
      const due = INDEX_KEYS.due('deliver_webhook', id, at);
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
