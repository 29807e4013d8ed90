import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { ensureTable } from '../../infra/local/resources.ts';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import '../support/aws-environment.ts';
import { bundled } from '../support/bundled.ts';
import type { DispatchWork } from '../support/dispatch-worker.ts';
import { patient } from '../support/patient-client.ts';
import { startTableEngine } from '../support/table-engine.ts';
import { use } from '../support/use.ts';

// Twenty workers start, on a machine with other work.
vi.setConfig({ testTimeout: 180_000 });

const DISPATCHERS = 20;
const ROWS = 4_000;
const KIND = 'abandon_upload';

const engine = await startTableEngine();
await use({ close: () => engine.stop() });
const client = patient(tableClient(engine.endpoint));
const table = new Table(client, 'dispatchers');
await ensureTable(client, table.name);

test(`${DISPATCHERS} dispatchers of the same shards in workers of their own hand each row over about once, and lose none`, async () => {
  const due = Date.parse('2026-11-23T12:00:00.000Z');
  const ids = Array.from({ length: ROWS }, () => newId('upload'));
  await table.putMany(ids.map((id) => ({ ...KEYS.upload(id), ...INDEX_KEYS.due(KIND, id, due) })));

  const workerData: DispatchWork = { endpoint: engine.endpoint, tableName: table.name, kind: KIND, now: due + 10_000 };
  const script = await bundled(new URL('../support/dispatch-worker.ts', import.meta.url));
  const workers = Array.from({ length: DISPATCHERS }, () => new Worker(script, { workerData }));
  await Promise.all(workers.map((worker) => once(worker, 'message')));
  const answers = workers.map((worker) => once(worker, 'message'));
  for (const worker of workers) worker.postMessage('go');
  const queued = (await Promise.all(answers)).flatMap(([pks]) => pks as string[]);
  await Promise.all(workers.map((worker) => worker.terminate()));

  expect(new Set(queued)).toEqual(new Set(ids.map((id) => KEYS.upload(id).pk)));
  expect(queued.length).toBeLessThanOrEqual(ROWS * 1.1);
});
