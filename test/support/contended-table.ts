import { startDynoxide } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import { startTableLaws } from '../../infra/local/table-laws/proxy.ts';
import type { ConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import './aws-environment.ts';
import { watchIndexes } from './table-engine.ts';
import { use } from './use.ts';

const NAME = 'live';
/** How long an invocation waits for other transactions, in ms. */
const PATIENCE_MS = 16_000;

const untilPatienceEnds: ConflictPatience = (startedAt) => startedAt + PATIENCE_MS - performance.now();

/** A part of the SDK's request handler that its types leave out. */
interface HttpClientConfig {
  updateHttpClientConfig(name: string, ms: number): void;
}

/** The client's time-outs have tests of their own; here they would fail on a busy machine. */
const patientClient = (endpoint: string) => {
  const client = tableClient(endpoint);
  const { requestHandler } = client.config as unknown as { requestHandler: HttpClientConfig };
  for (const name of ['connectionTimeout', 'requestTimeout']) requestHandler.updateHttpClientConfig(name, 120_000);
  return client;
};

/** A table behind the laws of docs/table-laws.md. `ownTable`: as another process has it, which shares no client and waits as an invocation does. */
export const useContendedTable = async (patience = untilPatienceEnds) => {
  const engine = await startDynoxide();
  await use({ close: () => engine.stop() });
  const laws = await use(startTableLaws(engine.endpoint, { lagMs: [0, 0] }));
  watchIndexes(laws);
  await ensureTable(tableClient(engine.endpoint), NAME);
  const ownTable = () => new Table(patientClient(laws.endpoint), NAME, patience);
  return { laws, ownTable, table: ownTable() };
};
