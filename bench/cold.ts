import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packFunctions } from '../infra/build/pack.ts';
import { PROJECT } from './processes.ts';
import { figure, median, type Section, type Verdict, verdict } from './report.ts';
import { table } from './table.ts';

const REPEATS = Number(process.env.REPEATS ?? 7);
/** Pairs of imports by which a sender is compared with the reference: this many times as many as of any function. */
const PAIRS = 3 * REPEATS;
/** Every function that sends: those that a caller waits for, and the consumers. */
const SENDERS = [
  'sms/send',
  'rcs/send',
  'email/send',
  'push/send',
  'messages/create',
  'messages/resend',
  'v1/send',
  'bulk/send',
  'bulk/resend',
  'consumers/send',
  'consumers/critical',
  'consumers/bulk',
  'consumers/push',
] as const;
const [REFERENCE] = SENDERS;
/** On the reference machine `sms/send` takes 81 ms; there each may take 90. Elsewhere both are that much slower or faster. */
const GOAL = { kilobytes: 700, ms: 90, referenceMs: 81 };

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

const EMPTY = 'data:text/javascript,';
/** How long a new process takes to import a module of this address, in ms, without Node's own start. */
const importOnce = (href: string): number => {
  const args = ['--input-type=module', '--eval', TIMED_IMPORT, href];
  return Number(
    execFileSync(process.execPath, args, { env: { PATH: process.env.PATH ?? '', ...ENVIRONMENT }, encoding: 'utf8' }),
  );
};

/** How long Node itself takes to start and end, in ms. */
const startOnce = (): number => {
  const startedAt = performance.now();
  execFileSync(process.execPath, ['--eval', '0']);
  return performance.now() - startedAt;
};

const addressOf = (outDir: string, path: string) => pathToFileURL(join(outDir, 'functions', path, 'index.mjs')).href;

/** Import times of each function and of an empty module, in turns, so that other load meets all alike. */
const timesOf = (outDir: string, paths: readonly string[]) => {
  const times = new Map<string, number[]>([EMPTY, ...paths].map((path) => [path, []]));
  for (let turn = 0; turn < REPEATS; turn++)
    for (const [path, own] of times) own.push(importOnce(path === EMPTY ? EMPTY : addressOf(outDir, path)));
  return (path: string) => median(times.get(path) ?? []);
};

interface Pairs {
  readonly path: string;
  readonly own: readonly number[];
  readonly reference: readonly number[];
}

/**
 * Import times of a sender and of the reference, one right after the other, each first in every second pair. In turns with all functions the
 * two lie half a minute apart, in which a shared machine changes more than the two differ.
 */
const pairsOf = (outDir: string, path: string): Pairs => {
  const pairs = Array.from({ length: PAIRS }, (_, at) => {
    const order = at % 2 === 0 ? [path, REFERENCE] : [REFERENCE, path];
    const times = new Map(order.map((each) => [each, importOnce(addressOf(outDir, each))]));
    return { own: times.get(path) ?? Number.NaN, reference: times.get(REFERENCE) ?? Number.NaN };
  });
  return { path, own: pairs.map(({ own }) => own), reference: pairs.map(({ reference }) => reference) };
};

/** The goal of each sender as it stands on a machine where the reference takes this long. */
const verdictsOf = (kilobytes: (path: string) => number, senders: readonly Pairs[]): Verdict[] => [
  verdict(`Size of ${REFERENCE}`, kilobytes(REFERENCE), '<', GOAL.kilobytes, ' KB'),
  verdict(`Cold import of ${REFERENCE}`, median(senders.flatMap(({ reference }) => reference)), '≤', GOAL.ms, ' ms'),
  ...senders.map(({ path, own, reference }) => {
    const goal = Number((GOAL.ms / GOAL.referenceMs).toFixed(2));
    const ratio = median(own) / median(reference);
    const { what, ...rest } = verdict(`Cold import of ${path}, relative to ${REFERENCE}`, ratio, '≤', goal, '×');
    return { what: `${what} (${figure(median(own))} ms)`, ...rest };
  }),
];

/** Bundle size and cold import time of each function. */
export const benchCold = async (): Promise<Section> => {
  const { functions, outDir } = await packFunctions({ root: PROJECT });
  const paths = Object.keys(functions);
  const absent = SENDERS.filter((path) => !paths.includes(path));
  if (absent.length > 0) throw new Error(`there is no function ${absent.join(', ')}`);
  const milliseconds = timesOf(outDir, paths);
  const senders = SENDERS.filter((path) => path !== REFERENCE).map((path) => pairsOf(outDir, path));
  const start = median(Array.from({ length: REPEATS }, startOnce));
  const kilobytes = (path: string) => (functions[path]?.bytes ?? Number.NaN) / 1000;
  const rows = [...paths]
    .sort((a, b) => kilobytes(b) - kilobytes(a))
    .map((path) => [
      path,
      figure(kilobytes(path)),
      figure((functions[path]?.bytesWithDynamic ?? 0) / 1000),
      figure(milliseconds(path)),
      figure(milliseconds(path) / milliseconds(REFERENCE)),
    ]);
  const text = [
    `Sizes are the minified bytes that a cold start reads, as packed for each Lambda; \`later\` adds dynamic imports. Import times are medians of ${REPEATS} new processes each, alternating, without Node's own start; Node starts and ends in ${figure(start)} ms here, an empty module takes ${figure(milliseconds(EMPTY))} ms. The goal of ${GOAL.ms} ms is of a machine on which \`${REFERENCE}\` takes ${GOAL.referenceMs}; it is kept as the ratio of the two, each sender measured beside \`${REFERENCE}\` in ${PAIRS} pairs of processes.`,
    table(['Function', 'KB at start', 'KB with later', 'Import ms', `÷ ${REFERENCE}`], rows),
  ];
  return {
    title: 'Sizes and cold imports',
    rounds: REPEATS,
    verdicts: verdictsOf(kilobytes, senders),
    text: text.join('\n\n'),
  };
};
