import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type DynoxideOptions, type Engine, freePort, startDynoxide } from '../../infra/local/engines.ts';
import { startTableLaws, type TableLaws } from '../../infra/local/table-laws/proxy.ts';
import type { LawSettings } from '../../infra/local/table-laws/settings.ts';
import type { ConflictPatience } from '../../shared/domain/core/retry-on-conflict.ts';
import { waitAsInvocation } from './patience.ts';

/** Whether the tests run over Amazon's DynamoDB Local instead of the embedded engine: `npm run test:dynamodb-local`. */
export const OVER_DYNAMODB_LOCAL = process.env.TEST_DYNAMODB === 'local';

/** Long, because several Java machines start at once on small machines. */
const START_MS = 60_000;
/** Options for a faster start; each engine serves one file's tests. */
const JAVA = ['-Xmx512m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
const MAIN = 'software.amazon.dynamodb.services.local.main.ServerRunner';

/** Whether it answers; false when it exited instead, for example because its port was taken meanwhile. */
const answers = async (child: ChildProcess, endpoint: string): Promise<boolean> => {
  const deadline = Date.now() + START_MS;
  while (child.exitCode === null && child.signalCode === null) {
    const response = await fetch(endpoint).catch(() => undefined);
    if (response?.headers.get('server')?.startsWith('Jetty')) return child.exitCode === null;
    if (Date.now() > deadline) throw new Error(`DynamoDB Local did not start within ${START_MS / 1000} s.`);
    await pause(50);
  }
  return false;
};

/** Starts a DynamoDB Local in memory, which reports nothing to anyone. */
const startDynamodbLocal = async (): Promise<Engine> => {
  const libraries = process.env.DYNAMODB_LOCAL_LIBRARIES;
  if (!libraries) throw new Error('DYNAMODB_LOCAL_LIBRARIES must name the folder of its libraries.');
  // The engine finds its native code beside its classes.
  const classes = ['-cp', join(libraries, '*')];
  for (let attempt = 0; attempt < 5; attempt++) {
    const port = String(await freePort());
    const server = ['-inMemory', '-sharedDb', '-disableTelemetry', '-port', port];
    const child = spawn('java', [...JAVA, ...classes, MAIN, ...server], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const endpoint = `http://127.0.0.1:${port}`;
    if (!(await answers(child, endpoint))) continue;
    const stop = async () => {
      child.kill('SIGKILL');
      await ended;
    };
    return { endpoint, stop };
  }
  throw new Error('DynamoDB Local exited at once, five times.');
};

/**
 * Which of DynamoDB's laws the tests' tables keep (docs/table-laws.md): `TEST_TABLE_LAWS=1`, or a comma-separated choice of `conflicts`,
 * `throughput` and `lag`. `TEST_TABLE_LAWS_SCALE` divides the limits, `TEST_TABLE_LAWS_SEED` draws other times.
 */
const lawsOf = (chosen: string): Partial<LawSettings> => {
  const laws = chosen === '1' ? ['conflicts', 'throughput', 'lag'] : chosen.split(',');
  const wide = { read: Infinity, write: Infinity };
  return {
    scale: Number(process.env.TEST_TABLE_LAWS_SCALE ?? 1),
    seed: Number(process.env.TEST_TABLE_LAWS_SEED ?? 1),
    ...(laws.includes('conflicts') ? {} : { flightMs: [0, 0] }),
    ...(laws.includes('throughput') ? {} : { partition: wide, table: wide }),
    ...(laws.includes('lag') ? {} : { lagMs: [0, 0], lateShare: 0 }),
  };
};
export const TEST_LAWS = process.env.TEST_TABLE_LAWS ? lawsOf(process.env.TEST_TABLE_LAWS) : undefined;

/**
 * Whether tables of the test's file are in memory unless it asks for an engine: there a call takes a sixth of the processor time
 * (vitest.config.ts). That both answer alike is tested by random calls (test/table-laws/memory-table.test.ts).
 */
export const isInMemoryByDefault = (): boolean =>
  process.env.TEST_TABLE === 'memory' && process.env.TEST_ENGINE !== '1' && !OVER_DYNAMODB_LOCAL && !TEST_LAWS;

/** Behind the laws, writes that meet others wait as an invocation does. */
export const LAWFUL_PATIENCE: ConflictPatience | undefined = TEST_LAWS && waitAsInvocation;

const lawful = new Set<TableLaws>();
/** Counts a table behind laws among those that this file began. */
export const watchIndexes = (laws: TableLaws): void => {
  lawful.add(laws);
};
/** Waits until the indexes of the tables that this file began show what was written; where they are never late, it is at once. */
export const indexesUpToDate = async (): Promise<void> => {
  while ([...lawful].some((laws) => laws.statistics().lateEntries > 0)) await pause(10);
};

const behindLaws = async (engine: Engine, settings: Partial<LawSettings>): Promise<Engine> => {
  const proxy = await startTableLaws(engine.endpoint, settings);
  lawful.add(proxy);
  const stop = async () => {
    lawful.delete(proxy);
    await proxy.close();
    await engine.stop();
  };
  return { endpoint: proxy.endpoint, stop };
};

/** The engine of a test's table: the embedded one, unless the run is over DynamoDB Local, which keeps no files. */
export const startTableEngine = async (options: DynoxideOptions = {}): Promise<Engine> => {
  const engine = await (OVER_DYNAMODB_LOCAL ? startDynamodbLocal() : startDynoxide(options));
  return TEST_LAWS ? behindLaws(engine, TEST_LAWS) : engine;
};
