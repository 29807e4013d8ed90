import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../../infra/local/engines.ts';
import { type LocalStack, type LocalStackOptions, startLocalStack } from '../../infra/local/local-stack.ts';
import { OVER_DYNAMODB_LOCAL, startTableEngine, TEST_LAWS } from './table-engine.ts';

export interface TestStack extends LocalStack {
  /** Stops the local stack but keeps its data, for a second start in the same folder. */
  stop(): Promise<void>;
}

/** A folder of its own for one test. */
export const tempDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'messaging-'));

/** Engines that a run over DynamoDB Local gave to stacks, by their folder: they outlive a stack that is started again. */
const engines = new Map<string, Promise<Engine>>();

/** The variables of a stack's functions; they name the table's engine where it is not the embedded one. */
const environmentOf = async (dataDir: string, env: Readonly<Record<string, string>> = {}) => {
  if (!OVER_DYNAMODB_LOCAL || env.DYNAMODB_ENDPOINT) return env;
  const starting = engines.get(dataDir) ?? startTableEngine();
  engines.set(dataDir, starting);
  return { ...env, DYNAMODB_ENDPOINT: (await starting).endpoint };
};

/** The whole service on a free port and in a folder of its own; `close` removes what it stored. */
export const startTestStack = async (options: Partial<LocalStackOptions> = {}): Promise<TestStack> => {
  const dataDir = options.dataDir ?? (await tempDir());
  const localStack = await startLocalStack({
    port: 0,
    // An engine of a run over DynamoDB Local has its laws already.
    tableLaws: OVER_DYNAMODB_LOCAL ? undefined : TEST_LAWS,
    ...options,
    env: await environmentOf(dataDir, options.env),
    dataDir,
  });
  return {
    ...localStack,
    stop: localStack.close,
    close: async () => {
      await localStack.close();
      await (await engines.get(dataDir))?.stop();
      engines.delete(dataDir);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
