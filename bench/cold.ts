import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packFunctions } from '../infra/build/pack.ts';
import { PROJECT } from './processes.ts';
import { figure, median, type Section, table, verdict } from './report.ts';

const REPEATS = 7;
const SENDER = 'sms/send';
const GOAL = { kilobytes: 700, ms: 90 };

/** Enough to import every function; none is invoked. */
const ENVIRONMENT = {
  STAGE: 'test',
  TABLE_NAME: 'messaging-test',
  LIVE_TABLE_NAME: 'messaging-live',
  QUEUE_URLS: '{}',
  PUBLIC_URL: 'https://messaging.example',
  KMS_KEY_ID: 'alias/none',
  AWS_REGION: 'sa-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
};

const TIMED_IMPORT = `
const [address] = process.argv.slice(1);
const startedAt = performance.now();
await import(address);
console.log(performance.now() - startedAt);
process.exit(0);`;

/** How long a new process takes to import a function, in ms, without Node's own start. */
const importOnce = (outDir: string, path: string): number => {
  const { href } = pathToFileURL(join(outDir, 'functions', path, 'index.mjs'));
  const args = ['--input-type=module', '--eval', TIMED_IMPORT, href];
  return Number(
    execFileSync(process.execPath, args, { env: { PATH: process.env.PATH ?? '', ...ENVIRONMENT }, encoding: 'utf8' }),
  );
};

/** Bundle size and cold import time of each function. */
export const benchCold = async (): Promise<Section> => {
  const { functions, outDir } = await packFunctions({ root: PROJECT });
  const paths = Object.keys(functions);
  const times = new Map<string, number[]>(paths.map((path) => [path, []]));
  for (let turn = 0; turn < REPEATS; turn++) for (const path of paths) times.get(path)?.push(importOnce(outDir, path));
  const kilobytes = (path: string) => (functions[path]?.bytes ?? Number.NaN) / 1000;
  const milliseconds = (path: string) => median(times.get(path) ?? []);
  const rows = [...paths]
    .sort((a, b) => kilobytes(b) - kilobytes(a))
    .map((path) => [
      path,
      figure(kilobytes(path)),
      figure((functions[path]?.bytesWithDynamic ?? 0) / 1000),
      figure(milliseconds(path)),
    ]);
  const text = [
    `Sizes are the minified bytes that a cold start reads, as packed for each Lambda; \`later\` adds dynamic imports. Import times are medians of ${REPEATS} new processes each, alternating.`,
    table(['Function', 'KB at start', 'KB with later', 'Import ms'], rows),
  ];
  return {
    title: 'Sizes and cold imports',
    rounds: REPEATS,
    verdicts: [
      verdict(`Size of ${SENDER}`, kilobytes(SENDER), '<', GOAL.kilobytes, ' KB'),
      verdict(`Cold import of ${SENDER}`, milliseconds(SENDER), '<', GOAL.ms, ' ms'),
    ],
    text: text.join('\n\n'),
  };
};
