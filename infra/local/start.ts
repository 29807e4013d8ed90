import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_ARCHIVE_DAYS, MIN_ARCHIVE_DAYS } from '../../shared/domain/archive/days.ts';
import { banner } from './banner.ts';
import { CannotStart } from './cannot-start.ts';
import { type Demo, demoSignIn, ensureDemo } from './demo.ts';
import { type LocalStack, type LocalStackOptions, startLocalStack } from './local-stack.ts';
import { surviveUncaughtErrors, tolerateClosedOutput } from './process-errors.ts';

/** `npm start`: the whole service on this machine, until Ctrl-C. */

/** Environment variables passed to the functions and engines. */
const PASSED_THROUGH = ['DYNAMODB_ENDPOINT', 'SQS_ENDPOINT', 'PUBLIC_URL'];

/** A whole number from the environment, or the default. Throws CannotStart for anything else. */
const number = (name: string, fallback: number, least: number, most = 65_535): number => {
  const text = process.env[name];
  if (text === undefined || text === '') return fallback;
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new CannotStart(`${name} must be a whole number from ${least} to ${most}.`);
};

/** After how many days rows leave for the archive; never unless it is set. */
const archiveAfterDays = (): Record<string, string> =>
  process.env.ARCHIVE_AFTER_DAYS
    ? { ARCHIVE_AFTER_DAYS: String(number('ARCHIVE_AFTER_DAYS', 0, MIN_ARCHIVE_DAYS, MAX_ARCHIVE_DAYS)) }
    : {};

/** DynamoDB's laws before the table, with `TABLE_LAWS=1`. */
const tableLaws = () =>
  process.env.TABLE_LAWS === '1'
    ? { scale: number('TABLE_LAWS_SCALE', 1, 1, 1_000), seed: number('TABLE_LAWS_SEED', 1, 0, 2 ** 31 - 1) }
    : undefined;

/** Where SMPP is listened for: `SMPP_PORT`, `off`, or the standard port unless another service has it. */
const smppPort = (): LocalStackOptions['smppPort'] => {
  if (process.env.SMPP_PORT === 'off') return undefined;
  return process.env.SMPP_PORT ? number('SMPP_PORT', 0, 0) : 'standard';
};

const fileNamedBy = (name: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw new CannotStart(`${name} names no file that can be read: ${path}`);
  }
};

/** Where SMPP is listened for over TLS, where a certificate and its key are given. */
const smppTls = (): LocalStackOptions['smppTls'] => {
  const { SMPP_TLS_CERT: cert, SMPP_TLS_KEY: key, SMPP_TLS_PORT: port } = process.env;
  if (!cert && !key) return undefined;
  if (!cert || !key) throw new CannotStart('SMPP_TLS_CERT and SMPP_TLS_KEY name files that belong together.');
  return {
    cert: fileNamedBy('SMPP_TLS_CERT', cert),
    key: fileNamedBy('SMPP_TLS_KEY', key),
    port: port ? number('SMPP_TLS_PORT', 0, 0) : 'standard',
  };
};

/** Where messages to the SMPP carrier are taken: by `SMPP_CARRIER_PORT`, as SMPP. */
const carrierPort = (): LocalStackOptions['carrierPort'] => {
  if (process.env.SMPP_CARRIER_PORT === 'off') return undefined;
  return process.env.SMPP_CARRIER_PORT ? number('SMPP_CARRIER_PORT', 0, 0) : 'standard';
};

/** Where functions are built and served from; processes that name the same folder share what Node compiled of them. */
const buildFolders = (): Pick<LocalStackOptions, 'distDir' | 'servedDir'> => {
  const { BUILD_DIR: folder } = process.env;
  return folder ? { distDir: join(folder, 'dist'), servedDir: join(folder, 'served') } : {};
};

const settings = (): LocalStackOptions & {
  readonly dataDir: string;
  readonly tableLaws: ReturnType<typeof tableLaws>;
} => ({
  port: number('PORT', 3000, 0),
  host: process.env.HOST || '127.0.0.1',
  smppPort: smppPort(),
  smppTls: smppTls(),
  carrierPort: carrierPort(),
  dataDir: process.env.DATA_DIR || '.local',
  ...buildFolders(),
  dispatchSeconds: number('DISPATCH_SECONDS', 5, 1),
  streamSeconds: process.env.METRICS === 'off' ? undefined : 1,
  ...(process.env.BATCHES_IN_FLIGHT ? { batchesInFlight: number('BATCHES_IN_FLIGHT', 1, 1) } : {}),
  tableLaws: tableLaws(),
  logTo: process.env.LOG_TO === 'stdout' ? 'stdout' : 'file',
  env: {
    ...Object.fromEntries(PASSED_THROUGH.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
    ...archiveAfterDays(),
  },
});

/** Closes and exits on a signal, also during the start. npm forwards Ctrl-C a second time, so repeats do not force an exit. */
const closeOnSignals = (starting: Promise<LocalStack>): void => {
  const stop = async () => {
    await starting.then((localStack) => localStack.close()).catch(() => undefined);
    process.exit(0);
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void stop());
};

const run = async (): Promise<void> => {
  const options = settings();
  let demo: Demo | undefined;
  const makeDemo: LocalStackOptions['beforeReady'] = async ({ tables }) => {
    demo = await ensureDemo(options.dataDir, tables);
  };
  const starting = startLocalStack({ ...options, beforeReady: makeDemo });
  closeOnSignals(starting);
  const localStack = await starting;
  surviveUncaughtErrors();
  if (!demo) return;
  const signIn = await demoSignIn(demo, localStack.tables);
  console.log(banner(localStack, demo, { logTo: options.logTo ?? 'file', tableLaws: options.tableLaws, signIn }));
};

tolerateClosedOutput();
try {
  await run();
} catch (error) {
  console.error(error instanceof CannotStart ? error.message : error);
  process.exit(1);
}
