import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { ensureTable } from '../infra/local/resources.ts';
import { keyFileOf, tableName } from '../infra/local/stages.ts';
import { mapConcurrently } from '../shared/domain/core/map-concurrently.ts';
import { tableClient } from '../shared/storage/client/client.ts';
import type { Row } from '../shared/storage/client/row.ts';
import { layOut } from './audience-base.ts';
import { draftCampaign, everybody, posted, untilSent } from './campaign-runs.ts';
import type { CountedCall } from './counting-proxy.ts';
import { inGroups, type Service, startService, startStore, tablesAt } from './processes.ts';
import { callAgain } from './raw-calls.ts';

const STAGE = 'test';
/** Calls that a replay makes at once at most, as the service's consumers do. */
const CONCURRENCY = 64;
const SKIPPED = new Set(['Scan', 'DescribeTable', 'DescribeTimeToLive']);

const rowsOf = async (client: DynamoDBClient): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: tableName(STAGE) }))
    rows.push(...Items.map((item) => unmarshall(item) as Row));
  return rows;
};

/**
 * Makes recorded calls again, each as soon as those have ended that had ended before it began: those that were at once are so again. Answers how
 * many were refused: of those that were at once, another one may come first.
 */
const replay = async (client: DynamoDBClient, calls: readonly CountedCall[]): Promise<number> => {
  const inOrder = [...calls].sort((a, b) => a.from - b.from);
  const running = new Map<CountedCall, Promise<void>>();
  let refused = 0;
  const begin = (call: CountedCall) => {
    const made = callAgain(client, call).then(
      () => {},
      () => void refused++,
    );
    running.set(
      call,
      made.finally(() => running.delete(call)),
    );
  };
  for (const call of inOrder) {
    await Promise.all([...running].filter(([{ to }]) => to <= call.from).map(([, ended]) => ended));
    while (running.size >= CONCURRENCY) await Promise.race(running.values());
    begin(call);
  }
  await Promise.all(running.values());
  return refused;
};

/** The same calls without a service, on an engine of its own that holds what the table held before; in ms. */
const measureFloor = async (before: readonly Row[], calls: readonly CountedCall[]) => {
  const store = await startStore({ inMemory: true });
  const client = tableClient(store.endpoint);
  try {
    await ensureTable(client, tableName(STAGE));
    const table = tablesAt(store.endpoint)[STAGE];
    await mapConcurrently(inGroups(before, 25), 8, (group) => table.putMany(group));
    const made = calls.filter(({ action, done }) => done && !SKIPPED.has(action));
    const startedAt = performance.now();
    const refused = await replay(client, made);
    return { ms: performance.now() - startedAt, calls: made.length, refused };
  } finally {
    client.destroy();
    await store.stop();
  }
};

/** A campaign of SMS to a base of its own, from its start until all of it left, and its calls of the table once more without a service. */
export const measureSending = async (recipients: number) => {
  const service: Service = await startService({ counted: true, inMemory: true, env: {} });
  try {
    const { store, proxy, client, organizationId } = service;
    await layOut(service.table, keyFileOf(store.folder), organizationId, recipients);
    const dynamodb = tableClient(store.endpoint);
    const before = await rowsOf(dynamodb).finally(() => dynamodb.destroy());
    const id = await draftCampaign(client, await everybody(client));
    proxy.reset();
    const startedAt = performance.now();
    await posted(client, `/v2/campaigns/${id}/start`);
    const total = await untilSent(client, id);
    const ms = performance.now() - startedAt;
    const { calls, writeUnits, readUnits } = proxy.taken();
    const floor = await measureFloor(before, calls);
    return {
      perSecond: (total / ms) * 1000,
      floorPerSecond: (total / floor.ms) * 1000,
      trips: floor.calls / total,
      refused: (100 * floor.refused) / floor.calls,
      writeUnits: writeUnits / total,
      readUnits: readUnits / total,
    };
  } finally {
    await service.stop();
  }
};
