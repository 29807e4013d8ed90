import { banner } from './banner.ts';
import { CannotStart } from './cannot-start.ts';
import { type Demo, ensureDemo } from './demo.ts';
import { type Platform, type PlatformOptions, startPlatform } from './platform.ts';

/** `npm start`: the whole service on this machine, until Ctrl-C. */

/** Passed on to the platform where they are set. */
const PASSED_ON = ['DYNAMODB_ENDPOINT', 'SQS_ENDPOINT', 'PUBLIC_URL'];

/** A whole number from the environment, or the default. */
const number = (name: string, fallback: number, least: number): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= 65_535) return value;
  throw new CannotStart(`${name} must be a whole number from ${least} to 65535.`);
};

const settings = (): PlatformOptions & { readonly dataDir: string } => ({
  port: number('PORT', 3000, 0),
  host: process.env.HOST || '127.0.0.1',
  dataDir: process.env.DATA_DIR || '.local',
  dispatchSeconds: number('DISPATCH_SECONDS', 5, 1),
  ...(process.env.BATCHES_IN_FLIGHT ? { batchesInFlight: number('BATCHES_IN_FLIGHT', 1, 1) } : {}),
  logTo: process.env.LOG_TO === 'stdout' ? 'stdout' : 'file',
  env: Object.fromEntries(PASSED_ON.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
});

/** Ends on a signal, also on one that comes during the start. npm repeats Ctrl-C, so a second signal is no second wish. */
const closeOnSignals = (starting: Promise<Platform>): void => {
  const stop = async () => {
    await starting.then((platform) => platform.close()).catch(() => undefined);
    process.exit(0);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void stop());
};

/** In the deployment, an error that nobody catches ends one function's process; here it must not end the service. */
const outliveStrayErrors = (): void => {
  for (const name of ['uncaughtException', 'unhandledRejection'])
    process.on(name, (error: unknown) => console.error('An error that no function caught:', error));
};

const run = async (): Promise<void> => {
  const options = settings();
  let demo: Demo | undefined;
  const makeDemo: PlatformOptions['beforeReady'] = async ({ tables }) => {
    demo = await ensureDemo(options.dataDir, tables);
  };
  const starting = startPlatform({ ...options, beforeReady: makeDemo });
  closeOnSignals(starting);
  const platform = await starting;
  outliveStrayErrors();
  if (demo) console.log(banner(platform, demo, options.logTo ?? 'file'));
};

try {
  await run();
} catch (error) {
  console.error(error instanceof CannotStart ? error.message : error);
  process.exit(1);
}
