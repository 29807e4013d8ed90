import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Histories, fuzzing, kills, bounds of time and memory: what could always take longer. */
const SLOW = [
  'test/domain/linear.test.ts',
  'test/faults/{bulk-model,fuzz,kill,model,push-kill,webhooks}.test.ts',
  'test/media/memory.test.ts',
  'test/webhooks/backlog-model.test.ts',
];
/** What starts compilers and linters. */
const QUALITY = ['test/quality/**/*.test.ts', 'test/contracts/new-operation.test.ts'];
/** Functions of values, without an engine or another process; and the compiler's word on the whole project. */
const UNIT = ['test/{domain,contracts,email}/**/*.test.ts', 'test/quality/types.test.ts'];
/** The whole service, started as `npm start` does, and what belongs to it: its command line, its pages; and the test that mocks a module. */
const E2E = ['test/{flows,docs,local}/**/*.test.ts', 'test/channels/declared-channel.test.ts'];

/** In the order in which they begin: first what takes longest, so that no worker is left with it at the end. */
const PROJECTS = {
  slow: { include: SLOW, isolate: true },
  quality: { include: QUALITY, exclude: UNIT.slice(1), isolate: true },
  e2e: { include: E2E, isolate: true },
  // One process runs many files: what they import is evaluated once. They share no state but their process.
  integration: { include: ['test/**/*.test.ts'], exclude: [...SLOW, ...QUALITY, ...UNIT, ...E2E], isolate: false },
  unit: { include: UNIT, exclude: [...SLOW, ...QUALITY.slice(1)], isolate: false },
};

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification) => Object.keys(PROJECTS).indexOf(project.name);
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    globalSetup: 'test/support/run-folder.ts',
    sequence: { sequencer: LongestFirst },
    pool: 'forks',
    // Tests run on small machines: few processes, which wait more than they work.
    maxWorkers: 3,
    projects: Object.entries(PROJECTS).map(([name, files]) => ({
      test: {
        name,
        ...files,
        environment: 'node' as const,
        pool: 'forks' as const,
        // The share of the slow tests: short, unless `npm run test:slow` or the caller asks for more.
        env: { TEST_SHARE: process.env.TEST_SHARE ?? (mode === 'full' ? '1' : '0.5') },
        // Against what hangs, not against what is slow: a loaded machine takes three times as long.
        testTimeout: 60_000,
        hookTimeout: 180_000,
        restoreMocks: true,
        // Styles are text that a function serves: without this, the runner hands out empty ones.
        css: true,
      },
    })),
  },
}));
