import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { expect, test } from 'vitest';
import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureStream, ensureTable } from '../../infra/local/resources.ts';
import { maintainStreamRecords } from '../../infra/local/stream-records.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { Table } from '../../shared/storage/client/table.ts';
import '../support/aws-environment.ts';
import { use } from '../support/use.ts';

const NAME = 'streamed';
const DAY_MS = 24 * 3_600_000;
const folder = mkdtempSync(join(tmpdir(), 'stream-records-'));
const file = join(folder, 'tables.db');
await use(Promise.resolve({ close: () => rmSync(folder, { recursive: true, force: true }) }));
const engine = await use(startDynoxide({ dbPath: file }).then((started) => ({ ...started, close: started.stop })));
const client = new DynamoDBClient({ endpoint: engine.endpoint });
const table = new Table(client, NAME);
await ensureTable(client, NAME);
await ensureStream(client, NAME);
const write = () => table.write({ put: { ...KEYS.message(newId('message')), at: 1 } });
const ask = (sql: string) => {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
};
const sequences = () =>
  ask('SELECT CAST(sequence_number AS INTEGER) AS at FROM _stream_records ORDER BY id').map(({ at }) => at);

test('the engine finds the next sequence number of a stream by an index, however many records it holds', async () => {
  await write();
  for (const _ of [1, 2]) maintainStreamRecords(file);
  await write();
  expect(sequences()).toEqual([1, 2]);
  // The engine's own question at each write.
  const plan = ask(
    `EXPLAIN QUERY PLAN SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = '${NAME}'`,
  );
  expect(plan.map(({ detail }) => detail)).toEqual([
    expect.stringMatching(/^SEARCH .* USING .*stream_records_by_sequence/),
  ]);
});

test('records of a day ago are removed, except the last one, from which the next number is derived', async () => {
  maintainStreamRecords(file, Date.now() + DAY_MS - 60_000);
  expect(sequences()).toEqual([1, 2]);
  maintainStreamRecords(file, Date.now() + DAY_MS + 60_000);
  expect(sequences()).toEqual([2]);
  await write();
  expect(sequences()).toEqual([2, 3]);
});
