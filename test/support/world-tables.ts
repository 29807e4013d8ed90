import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Engine } from '../../infra/local/engines.ts';
import { ensureTable } from '../../infra/local/resources.ts';
import type { Environment } from '../../shared/domain/core/actor.ts';
import { tableClient } from '../../shared/storage/client/client.ts';
import { Table } from '../../shared/storage/client/table.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { readsIndexesWith } from './index-entries.ts';
import { memoryProxy } from './memory-table/proxy.ts';
import { patient } from './patient-client.ts';
import { UNCHECKED_SIGNATURE } from './scan.ts';
import {
  isInMemoryByDefault,
  LAWFUL_PATIENCE,
  OVER_DYNAMODB_LOCAL,
  startTableEngine,
  TEST_LAWS,
} from './table-engine.ts';

const replaceSignature = (client: DynamoDBClient): void => {
  client.middlewareStack.remove('httpSigningMiddleware');
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: object }).headers, UNCHECKED_SIGNATURE);
      return next(args);
    },
    { step: 'finalizeRequest', name: 'unchecked' },
  );
};

export interface WorldOptions {
  /** Whether its tables are in this process's memory; false for tests of calls on the wire. By default, as the file's project says. */
  readonly inMemory?: boolean;
  readonly archiveAfterDays?: number;
  /** Puts another proxy before the engine, whose endpoint it is given; answers its own. */
  readonly through?: (endpoint: string) => Promise<string>;
  /** An engine that runs already, as another process has it, instead of its own. */
  readonly at?: string;
}

/** Whether the tables of a world are in memory. */
export const areInMemory = ({ inMemory = isInMemoryByDefault(), through, at }: WorldOptions): boolean =>
  inMemory && !through && at === undefined;

/** Makes the calls of a table fail, and counts them. */
export type TableFaults = Pick<FaultProxy, 'calls' | 'callsOf' | 'endpoint' | 'plan' | 'shortcutToEngine'>;

interface WorldTables {
  readonly table: Table;
  readonly live: Table;
  /** The engine without the proxy. */
  readonly dynamodb: DynamoDBClient;
  readonly proxy: TableFaults;
  close(): Promise<void>;
}

/** The tables of a world on an engine, behind a proxy. */
export const startTables = async (
  env: Environment,
  { archiveAfterDays, through, at }: WorldOptions,
): Promise<WorldTables> => {
  const engine: Engine = at === undefined ? await startTableEngine() : { endpoint: at, stop: async () => {} };
  const proxy = await startFaultProxy(through ? await through(engine.endpoint) : engine.endpoint);
  const dynamodb = new DynamoDBClient({ endpoint: engine.endpoint });
  await Promise.all(['live', 'test'].map((stage) => ensureTable(dynamodb, stage)));
  const client = patient(tableClient(proxy.endpoint));
  const isEngine = !through && !OVER_DYNAMODB_LOCAL && !TEST_LAWS;
  if (!isEngine) proxy.shortcut(client);
  const readIndex = isEngine ? proxy.shortcutToEngine(client) : undefined;
  // Signing takes a quarter of a call's processor time or more. The functions of the flows do sign.
  if (!OVER_DYNAMODB_LOCAL) replaceSignature(client);
  const close = async () => {
    client.destroy();
    dynamodb.destroy();
    await proxy.close();
    await engine.stop();
  };
  const table = new Table(client, env, LAWFUL_PATIENCE, archiveAfterDays);
  const live = new Table(client, 'live', LAWFUL_PATIENCE);
  // An engine of another process may be behind laws.
  if (readIndex && at === undefined) for (const each of [table, live]) readsIndexesWith(each, readIndex);
  return { table, live, dynamodb, proxy, close };
};

/** The tables of a world in memory. */
export const tablesInMemory = (env: Environment, { archiveAfterDays }: WorldOptions): WorldTables => {
  const proxy = memoryProxy();
  const { client, readIndex } = proxy;
  return {
    table: readsIndexesWith(new Table(client, env, undefined, archiveAfterDays), readIndex),
    live: readsIndexesWith(new Table(client, 'live'), readIndex),
    dynamodb: client,
    proxy,
    close: async () => {},
  };
};
