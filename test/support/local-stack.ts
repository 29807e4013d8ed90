import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalStack, type LocalStackOptions, startLocalStack } from '../../infra/local/local-stack.ts';

export interface TestStack extends LocalStack {
  /** Stops the local stack but keeps its data, for a second start in the same folder. */
  stop(): Promise<void>;
}

/** A folder of its own for one test. */
export const tempDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'messaging-'));

/** The whole service on a free port and in a folder of its own; `close` removes what it stored. */
export const startTestStack = async (options: Partial<LocalStackOptions> = {}): Promise<TestStack> => {
  const dataDir = options.dataDir ?? (await tempDir());
  const localStack = await startLocalStack({ port: 0, ...options, dataDir });
  return {
    ...localStack,
    stop: localStack.close,
    close: async () => {
      await localStack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
