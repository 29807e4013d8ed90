import { defineConfig } from 'vitest/config';

/** Tests run on small machines: few processes, which wait more than they work, and time for tests that start engines, compilers or browsers. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/torture/**'],
    globalSetup: 'test/support/run-folder.ts',
    environment: 'node',
    pool: 'forks',
    maxWorkers: 3,
    // Against what hangs, not against what is slow: a loaded machine takes three times as long.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    restoreMocks: true,
    // Styles are text that a function serves: without this, the runner hands out empty ones.
    css: true,
  },
});
