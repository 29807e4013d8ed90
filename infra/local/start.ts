import { ensureDemo } from './demo.ts';
import { banner } from './banner.ts';
import { DataDirInUse } from './lock.ts';
import { type PlatformOptions, startPlatform } from './platform.ts';

/** `npm start`: the whole service on this machine, until Ctrl-C. */

/** A whole number from the environment, or the default. */
const number = (name: string, fallback: number): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535) throw new Error(`${name} must be a whole number.`);
  return value;
};

const settings = (): PlatformOptions => ({
  port: number('PORT', 3000),
  host: process.env.HOST || '127.0.0.1',
  dataDir: process.env.DATA_DIR || '.local',
  dispatchSeconds: number('DISPATCH_SECONDS', 5) || 5,
  batchesInFlight: number('BATCHES_IN_FLIGHT', 4) || 4,
  logTo: process.env.LOG_TO === 'stdout' ? 'stdout' : 'file',
  env: Object.fromEntries(
    ['DYNAMODB_ENDPOINT', 'SQS_ENDPOINT'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
  ),
});

const run = async (): Promise<void> => {
  const platform = await startPlatform(settings());
  const stop = async () => {
    await platform.close();
    process.exit(0);
  };
  // npm passes Ctrl-C on although the terminal sent it here as well: a second signal is no second wish.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void stop());
  console.log(banner(platform, await ensureDemo(platform.dataDir, platform.tables)));
};

try {
  await run();
} catch (error) {
  console.error(
    error instanceof DataDirInUse || !(error instanceof Error) ? String(error) : (error.stack ?? error.message),
  );
  process.exit(1);
}
