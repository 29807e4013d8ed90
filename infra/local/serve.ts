import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { QUEUES, type QueueDeclaration } from '../../shared/queues/queues.ts';
import { readCountedTo } from '../../shared/storage/metrics/count-changes.ts';
import type { BuildResult } from '../build/build.ts';
import { withBuildLock } from '../build/build-lock.ts';
import { makeAuthorizer } from './authorizer.ts';
import type { Backends } from './backends.ts';
import { hasDueRows, isLoopback } from './due-check.ts';
import { type Handler, lambdaContext, StageFunctions } from './functions.ts';
import type { GatewayStage } from './gateway.ts';
import { type Running, startPoller } from './pollers.ts';
import { queueUrls } from './resources.ts';
import { startRowExpiry } from './row-expiry.ts';
import { startSchedule } from './schedules.ts';
import { archiveFolder, keyFileOf, STAGES, type Stage, stageEnvironment, tableName } from './stages.ts';
import { OUTCOME_COUNTER, startStream } from './table-stream.ts';

/** Build, engines and intervals of both stages; `warm` names the functions that are imported before they are served. */
export interface ServeOptions {
  readonly dataDir: string;
  /** Where the functions are laid out, shared with other processes; a folder of this start's own in `dataDir` by default. */
  readonly servedDir?: string | undefined;
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly build: BuildResult;
  readonly backends: Backends;
  readonly stdout: NodeJS.WriteStream;
  readonly dispatchSeconds: number;
  readonly batchesInFlight?: number | undefined;
  /** How often expired rows are deleted, in s; 60 by default. */
  readonly expirySeconds?: number | undefined;
  /** How often a quiet stream is polled for the metrics, in s; never if undefined. */
  readonly streamSeconds?: number | undefined;
  readonly retrySeconds: (receives: number) => number;
  readonly policyCacheMs?: number | undefined;
  readonly warm: readonly string[];
  readonly onFault: (functionPath: string, requestId: string, error: unknown) => void;
}

/** Both stages for the gateway, and their background work. */
export interface ServedStages {
  readonly stages: Readonly<Record<Stage, GatewayStage>>;
  /** Starts the consumers and the dispatcher. */
  startBackground(): void;
  /** Stops them and waits for their last work. */
  stop(): Promise<void>;
}

const AUTHORIZER = 'authorizer';
const DISPATCHER = 'schedules/dispatch';
const AUTHORIZER_TIMEOUT_MS = 10_000;

const layOut = (
  stage: Stage,
  folder: string,
  { dataDir, url, env, build, backends, stdout }: ServeOptions,
): Promise<StageFunctions> =>
  StageFunctions.layOut({
    stage,
    manifest: build.manifest,
    bundleDir: join(build.outDir, 'bundle'),
    folder: join(folder, stage),
    stdout,
    environment: {
      ...env,
      ...stageEnvironment(stage, {
        publicUrl: env.PUBLIC_URL ?? url,
        dynamodbEndpoint: backends.dynamodbEndpoint,
        sqsEndpoint: backends.sqsEndpoint,
        s3Endpoint: backends.s3Endpoint,
        keyFile: keyFileOf(dataDir),
        archiveFolder: archiveFolder(dataDir, stage),
        queueUrls: queueUrls(backends.queues[stage]),
      }),
    },
  });

/** A stage's functions and authorizer, for the gateway. */
export const gatewayStage = (functions: StageFunctions, policyCacheMs?: number): GatewayStage => {
  const handler = async (): Promise<Handler> => functions.loaded(AUTHORIZER) ?? functions.load(AUTHORIZER);
  const context = lambdaContext(AUTHORIZER, 'authorizer', AUTHORIZER_TIMEOUT_MS);
  const invoke = async (event: unknown) => (await handler())(event, context);
  return { functions, authorizer: makeAuthorizer({ invoke, ttlMs: policyCacheMs }) };
};

const startConsumers = (functions: StageFunctions, options: ServeOptions): Running[] =>
  Object.values<QueueDeclaration>(QUEUES).flatMap(
    ({ name, consumer, batchSize, concurrentBatches, overlapAfterMs }) => {
      const functionPath = `consumers/${consumer}`;
      const queue = options.backends.queues[functions.stage][name];
      if (!queue || !functions.has(functionPath)) return [];
      const { batchesInFlight: concurrency = concurrentBatches, retrySeconds, onFault } = options;
      return startPoller({
        client: options.backends.sqs,
        queue,
        functions,
        functionPath,
        batchSize,
        concurrency,
        overlapAfterMs,
        retrySeconds,
        onFault,
      });
    },
  );

const startDispatcher = (
  functions: StageFunctions,
  { dispatchSeconds: everySeconds, backends, onFault }: ServeOptions,
): Running[] => {
  if (!functions.has(DISPATCHER)) return [];
  const when = async () =>
    !isLoopback(backends.dynamodbEndpoint) || hasDueRows(backends.dynamodb, tableName(functions.stage));
  return [startSchedule({ functions, functionPath: DISPATCHER, everySeconds, when, onFault })];
};

/** If the archive is configured: deletes expired rows like DynamoDB, and feeds the archiver. */
const startExpiry = (functions: StageFunctions, { env, expirySeconds, backends, onFault }: ServeOptions): Running[] =>
  // On AWS, DynamoDB does it.
  env.ARCHIVE_AFTER_DAYS === undefined || !isLoopback(backends.dynamodbEndpoint)
    ? []
    : [startRowExpiry({ functions, client: backends.dynamodb, everySeconds: expirySeconds ?? 60, onFault })];

/** Starts the counter of the metrics; none over DynamoDB on AWS, where Lambda polls the stream. */
const startCounter = (functions: StageFunctions, { streamSeconds, backends, onFault }: ServeOptions): Running[] => {
  const { dynamodbEndpoint: endpoint, tables } = backends;
  if (!functions.has(OUTCOME_COUNTER) || streamSeconds === undefined || !isLoopback(endpoint)) return [];
  const startAfter = async (shardId: string) => (await readCountedTo(tables[functions.stage], shardId))?.slice(-21);
  return [startStream({ functions, endpoint, startAfter, everySeconds: streamSeconds, onFault })];
};

let starts = 0;
/** A new path at every start of this process, since Node caches imported modules by path and it may have served the directory before. */
const newFolder = async ({ dataDir, servedDir, build }: ServeOptions): Promise<string> => {
  if (servedDir) return join(servedDir, build.manifest.hash, String(++starts));
  const copies = join(dataDir, 'functions');
  await rm(copies, { recursive: true, force: true });
  return join(copies, `${process.pid}-${Date.now()}`);
};

/** Lays out both stages' functions and imports those of `options.warm`. */
export const startStages = async (options: ServeOptions): Promise<ServedStages> => {
  const folder = await newFolder(options);
  const copy = () => Promise.all([layOut('live', folder, options), layOut('test', folder, options)]);
  const [live, test] = await withBuildLock(options.build.outDir, copy);
  const functions = { live, test };
  const running: Running[] = [];
  for (const stage of STAGES)
    for (const path of options.warm) if (functions[stage].has(path)) await functions[stage].load(path);
  return {
    stages: { live: gatewayStage(live, options.policyCacheMs), test: gatewayStage(test, options.policyCacheMs) },
    startBackground: () => {
      for (const stage of STAGES)
        running.push(
          ...startConsumers(functions[stage], options),
          ...startDispatcher(functions[stage], options),
          ...startExpiry(functions[stage], options),
          ...startCounter(functions[stage], options),
        );
    },
    stop: async () => void (await Promise.all(running.map((work) => work.stop()))),
  };
};
