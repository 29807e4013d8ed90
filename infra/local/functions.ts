import { AsyncLocalStorage } from 'node:async_hooks';
import { copyFile, link, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';
import type { Manifest } from '../build/build.ts';
import { entryName } from '../build/layout.ts';
import type { Stage } from './stages.ts';

/** The handler of a Lambda function. */
export type Handler = (event: unknown, context: Context) => Promise<unknown>;

/** The location and environment of a stage's functions. */
export interface StageFunctionsOptions {
  readonly stage: Stage;
  readonly manifest: Manifest;
  /** `bundle/` of the build. */
  readonly bundleDir: string;
  /** A folder of this stage alone, new to this process; it is empty, or holds the same files already. */
  readonly folder: string;
  /** Added to `process.env` while functions are imported. */
  readonly environment: Readonly<Record<string, string>>;
  /** Stands in for `process.stdout` and `process.stderr` while functions are imported; their loggers keep it. */
  readonly stdout: NodeJS.WriteStream;
}

/** Imports run one at a time: a module reads its stage's environment from `process.env`, which the process has only one of. */
let imports: Promise<unknown> = Promise.resolve();
const serialize = <T>(work: () => Promise<T>): Promise<T> => {
  const turn = imports.then(work, work);
  imports = turn.catch(() => undefined);
  return turn;
};

/** The output stream of the import that is running, if any. */
const standardOutput = new AsyncLocalStorage<NodeJS.WriteStream>();
let redirected = false;
/** Makes `process.stdout` and `process.stderr` resolve to the stage's log during an import, and to the real streams otherwise. Once. */
const redirectImports = () => {
  if (redirected) return;
  redirected = true;
  for (const name of ['stdout', 'stderr'] as const) {
    const own = process[name];
    Object.defineProperty(process, name, {
      configurable: true,
      enumerable: true,
      get: () => standardOutput.getStore() ?? own,
    });
  }
};

/** Runs an import with a stage's environment variables and log in place of the process's own. */
const inEnvironment = async <T>({ environment, stdout }: StageFunctionsOptions, work: () => Promise<T>): Promise<T> => {
  redirectImports();
  const earlier = Object.fromEntries(Object.keys(environment).map((name) => [name, process.env[name]]));
  Object.assign(process.env, environment);
  try {
    return await standardOutput.run(stdout, work);
  } finally {
    for (const [name, value] of Object.entries(earlier))
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  }
};

/** Gives a built file a second name; a copy where the folders are on two file systems. */
const linkOrCopy = (from: string, to: string): Promise<void> => link(from, to).catch(() => copyFile(from, to));

/**
 * One stage's functions. Each stage has separate names for the built files, because Node caches one module instance per name: so each stage
 * has its own instances, which only use its own table.
 */
export class StageFunctions {
  readonly stage: Stage;
  readonly #options: StageFunctionsOptions;
  readonly #loaded = new Map<string, Handler>();
  readonly #loading = new Map<string, Promise<Handler>>();

  private constructor(options: StageFunctionsOptions) {
    this.stage = options.stage;
    this.#options = options;
  }

  /**
   * Links the built files into the stage's folder, unless they are there already. A later build replaces its files, and does not write
   * into these.
   */
  static async layOut(options: StageFunctionsOptions): Promise<StageFunctions> {
    const { folder, bundleDir } = options;
    await mkdir(folder, { recursive: true });
    const there = new Set(await readdir(folder));
    const missing = (await readdir(bundleDir)).filter((name) => !name.endsWith('.map') && !there.has(name));
    await Promise.all(missing.map((name) => linkOrCopy(join(bundleDir, name), join(folder, name))));
    return new StageFunctions(options);
  }

  has(path: string): boolean {
    return this.#options.manifest.functions.includes(path);
  }

  /** The handler, if it is already imported. */
  loaded(path: string): Handler | undefined {
    return this.#loaded.get(path);
  }

  /** The handler, imported on first use. */
  load(path: string): Promise<Handler> {
    const loading = this.#loading.get(path) ?? serialize(() => this.#import(path));
    this.#loading.set(path, loading);
    return loading;
  }

  async #import(path: string): Promise<Handler> {
    if (!this.has(path)) throw new Error(`There is no function ${path}.`);
    const { href } = pathToFileURL(join(this.#options.folder, `${entryName(path)}.mjs`));
    const module = await inEnvironment(this.#options, () => import(href) as Promise<{ handler?: Handler }>);
    if (typeof module.handler !== 'function') throw new Error(`The function ${path} exports no handler.`);
    this.#loaded.set(path, module.handler);
    return module.handler;
  }
}

/** The context argument of a Lambda handler; `timeoutMs` sets its remaining time. */
export const lambdaContext = (functionName: string, requestId: string, timeoutMs: number): Context => {
  const deadline = Date.now() + timeoutMs;
  return {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${functionName}`,
    memoryLimitInMB: '1024',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
};
