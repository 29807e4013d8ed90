import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Platform, type PlatformOptions, startPlatform } from '../../infra/local/platform.ts';

export interface TestPlatform extends Platform {
  /** Stops the platform but keeps its data, for a second start on the same folder. */
  stop(): Promise<void>;
}

/** A folder of its own for one test. */
export const tempDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'messaging-'));

/** The whole service on a free port and in a folder of its own; `close` removes what it stored. */
export const startTestPlatform = async (options: Partial<PlatformOptions> = {}): Promise<TestPlatform> => {
  const dataDir = options.dataDir ?? (await tempDir());
  const platform = await startPlatform({ port: 0, ...options, dataDir });
  return {
    ...platform,
    stop: platform.close,
    close: async () => {
      await platform.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
