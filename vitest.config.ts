import { globSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { isSampled } from './test/support/sampled.ts';

/** Histories, fuzzing, kills, bounds of time and memory: tests that find more the longer they run. */
const SLOW = [
  'test/audience/{index,members}.test.ts',
  'test/campaigns/model.test.ts',
  'test/crm/{model,workers}.test.ts',
  'test/faults/{bulk-model,campaign-kill,event-kill,fuzz,journey-kill,kill,lanes-model,model,push-kill,webhooks}.test.ts',
  'test/journeys/{model,money-model}.test.ts',
  'test/lists/model.test.ts',
  'test/smpp/{codec-fuzz,session-fuzz,processes}.test.ts',
  'test/webhooks/{backlog-model,feed-model,feed-processes}.test.ts',
];
/** Slow ones that measure their process: nothing of other files is in its heap. */
const MEASURING = ['test/domain/linear.test.ts', 'test/media/memory.test.ts'];
/** Tests that start compilers and linters. */
const QUALITY = ['test/quality/**/*.test.ts', 'test/contracts/new-operation.test.ts'];
/** Functions of values, without an engine or another process; and the type check of the whole project. */
const UNIT = ['test/{domain,contracts,email}/**/*.test.ts', 'test/quality/types.test.ts'] as const;
/** Of the folders of E2E: what starts neither the service nor another process. */
const IN_PROCESS = [
  'test/docs/{bench-results,changed-code,cost-{idle,smpp},crm-units,providers,response-counter,smpp-units,spec-references,walks}.test.ts',
  'test/local/{authorizer,due-check,fair-queue,numbering-plans,routing}.test.ts',
];
/** The guarantees of the table. */
const TABLE = ['test/{storage,faults,table-laws}/**/*.test.ts'];
/** The files of them that need the embedded engine: races, pages, calls on the wire, scans, other processes. */
const OF_THE_ENGINE = [
  'test/table-laws/**/*.test.ts',
  'test/storage/{*-races,*-contention,archive*,batch-calls,client*,company-directory,conflicts,contacts,*counters}.test.ts',
  'test/storage/{cursor-pages,due-dispatchers,batch-concurrent,journey-signals,key-*,message-pages,migration,publisher}.test.ts',
  'test/faults/{frequency,lanes,outcome-counts,together*,volume}.test.ts',
];
/** The files of patterns, with `/` on every system. */
const filesOf = (patterns: string[], exclude: string[] = []): string[] =>
  globSync(patterns, { cwd: import.meta.dirname, exclude }).map((file) => file.replaceAll('\\', '/'));
const ENGINE = filesOf(TABLE).filter(
  (file) => OF_THE_ENGINE.some((pattern) => matchesGlob(file, pattern)) || isSampled(file),
);
/** The whole service, started as `npm start` does, its command line, pages and guides. */
const E2E = ['test/{docs,guides,local}/**/*.test.ts', 'test/sdk/{package,readme,without-node}.test.ts'];
/** The console, in a Chromium: one service and one Chromium per process. */
const CONSOLE = 'test/console/**/*.test.ts';
/**
 * The flows with a process each: they call most functions, fill the table, start processes, or are about the service's own start. A process of
 * the others, and of the costs of calls, runs many of them, one after the other.
 */
const FLOWS_ALONE = filesOf([
  'test/flows/{bulk,bulk-largest,contact-imports,keys,largest-bodies,operator,personal-data,restore,table-migration,tenancy}.test.ts',
]);
const COSTS = 'test/docs/cost{,-cards,-channels,-crm,-journeys}.test.ts';
const FLOWS = filesOf(['test/flows/**/*.test.ts', COSTS], FLOWS_ALONE);
/** Replaces a module, or all timers, for its whole process. */
const ISOLATED = ['test/channels/declared-channel.test.ts', 'test/sdk/retries.test.ts'];

/** Files are imported by Node itself, as the service's are: Vite would transform every one of them for each process anew. */
const NATIVE = {
  experimental: { viteModuleRunner: false, nodeLoader: false },
  setupFiles: ['test/support/plain-imports.ts'],
};

/**
 * A young generation of Node's heap that is large from the start. Most objects of a test live for one call: with the default of 1 MB they are
 * copied many times until it has grown, for a tenth of the processor time.
 */
const HEAP = ['--min-semi-space-size=16', '--max-semi-space-size=64'];

/** Worlds and services have their table in memory (test/support/memory-table): both keep rows alike, this one for a sixth of the processor time. */
const IN_MEMORY = { TEST_TABLE: 'memory' };
/** The same, except for a sample of their files. */
const MOSTLY_IN_MEMORY = { ...NATIVE, setupFiles: [...NATIVE.setupFiles, 'test/support/sampled-table.ts'] };

/** In the order in which they start (see STARTS): the longest first, so that no worker runs one alone at the end. */
const PROJECTS = {
  // Their histories take as long as the machine does: the bound is against those that hang.
  slow: { ...NATIVE, include: SLOW, isolate: false, testTimeout: 300_000 },
  measuring: { ...NATIVE, include: MEASURING, isolate: true, testTimeout: 300_000 },
  quality: { ...NATIVE, include: QUALITY, exclude: UNIT.slice(1), isolate: false },
  e2e: { ...NATIVE, include: E2E, exclude: [COSTS, ...IN_PROCESS], isolate: false },
  'flows-alone': { ...MOSTLY_IN_MEMORY, include: FLOWS_ALONE, isolate: true },
  // A service a file, or one a process (`sharedMessaging`): of its start, half is what a process evaluates once. A file leaves 30 MB.
  // And the console, in turn: its files compute where flows wait. As a project of its own, it would have processes of its own for each turn.
  flows: { ...MOSTLY_IN_MEMORY, include: [...FLOWS, CONSOLE], isolate: false },
  isolated: { include: ISOLATED, isolate: true },
  // One process runs many files: their imports are evaluated once. They share no state except the process.
  integration: {
    ...NATIVE,
    include: ['test/*.test.ts', 'test/!(flows|docs|guides|local)/**/*.test.ts', ...IN_PROCESS],
    exclude: [...SLOW, ...MEASURING, ...QUALITY, ...UNIT, ...ISOLATED, ...ENGINE, CONSOLE, ...E2E.slice(1)],
    isolate: false,
    env: IN_MEMORY,
  },
  engine: { ...NATIVE, include: ENGINE, exclude: SLOW, isolate: false },
  unit: { ...NATIVE, include: [...UNIT], exclude: [...MEASURING, ...QUALITY.slice(1)], isolate: false },
};

/** The projects in the order in which they start, and what starts before and between them. */
const PLACES = ['first', ...Object.keys(PROJECTS).flatMap((name) => [name, `after ${name}`])];

/**
 * Files that do not start with their project's, in the order in which they start. Those that wait for nearly all of their time, up to minutes,
 * start beside files that compute, and these beside flows: where all workers wait, the cores idle.
 */
const STARTS: readonly (readonly [files: string, place: 'first' | `after ${keyof typeof PROJECTS}`])[] = [
  // Each of these four takes minutes. The later they end, the fewer workers import the CDK, and synthesize the deployment that most files of
  // templates share, each for itself.
  ['test/faults/{campaign,journey}-kill.test.ts', 'first'],
  ['test/faults/kill.test.ts', 'first'],
  ['test/quality/lint.test.ts', 'first'],
  ['test/{infra/*,docs/cost-{idle,smpp}}.test.ts', 'first'],
  ['test/{docs/readme,flows/{smpp-parts,revocation}}.test.ts', 'after slow'],
  ['test/flows/{smpp-reports,campaigns-money}.test.ts', 'after quality'],
  ['test/journeys/model.test.ts', 'after e2e'],
  ['test/smpp/processes.test.ts', 'after e2e'],
  ['test/{faults/fuzz,flows/largest-bodies,crm/model,audience/members}.test.ts', 'after e2e'],
  ['test/flows/{messages-resend,rcs}.test.ts', 'after flows-alone'],
  ['test/flows/journey-examples.test.ts', 'after flows'],
  ['test/{docs/{cost,cost-channels},flows/campaigns-channels}.test.ts', 'after integration'],
  ['test/quality/types.test.ts', 'after integration'],
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = (await super.sort(files)).map((spec) => ({
      spec,
      file: relative(import.meta.dirname, spec.moduleId).replaceAll('\\', '/'),
    }));
    // Each file's place among those of its kind, from 0 to 1.
    const kinds = Map.groupBy(sorted, ({ spec, file }) => matchesGlob(file, CONSOLE) || spec.project.name);
    const inTurn = new Map(
      [...kinds.values()].flatMap((files) => files.map(({ file }, at) => [file, at / files.length])),
    );
    const order = ({ spec: { project }, file }: (typeof sorted)[number]) => {
      const nth = STARTS.findIndex(([pattern]) => matchesGlob(file, pattern));
      const within = nth < 0 ? (inTurn.get(file) ?? 0) : nth / STARTS.length;
      return PLACES.indexOf(STARTS[nth]?.[1] ?? project.name) + within;
    };
    return sorted.sort((one, other) => order(one) - order(other)).map(({ spec }) => spec);
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: 'test/support/run-folder.ts',
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // For two cores: files wait for part of their time, for a deadline, an engine, another process. Three leave the cores idle for a tenth of the
    // time, four for a fiftieth; of more, each computes more slowly beside the others, and with seven a bulk send of 5,000 is refused for want of time.
    maxWorkers: 4,
    projects: Object.entries(PROJECTS).map(([name, files]) => ({
      test: {
        name,
        ...files,
        environment: 'node' as const,
        pool: 'forks' as const,
        execArgv: HEAP,
        env: {
          // The share of the slow tests: a part, unless `npm run test:slow` or TEST_SHARE sets another.
          TEST_SHARE: process.env.TEST_SHARE ?? (mode === 'full' ? '1' : '0.05'),
          ...('env' in files && mode !== 'full' ? files.env : {}),
        },
        // Against tests that hang, not against slow ones: a loaded machine takes three times as long.
        testTimeout: 'testTimeout' in files ? files.testTimeout : 180_000,
        hookTimeout: 180_000,
        expect: { poll: { timeout: 45_000 } },
        restoreMocks: true,
        // Styles are texts that a function serves: without this, vitest replaces them by empty ones.
        css: true,
      },
    })),
  },
}));
