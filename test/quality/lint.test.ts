import { expect, it } from 'vitest';
import { readSource, runTool, sourceFiles } from './tools.ts';

/** Faults on purpose. */
const FIXTURES = 'test/quality/fixtures';

it('the format is one, no import goes in a circle, and no test is focused or skipped', async () => {
  const { code, output } = await runTool('@biomejs/biome', 'biome', [
    'ci',
    '--max-diagnostics=60',
    '--colors=off',
    '--error-on-warnings',
  ]);
  expect(code, output).toBe(0);
}, 180_000);

it('no promise is left floating, checked with types', async () => {
  const { code, output } = await runTool('oxlint', 'oxlint', [
    '--type-aware',
    '--deny-warnings',
    '--format=unix',
    `--ignore-pattern=${FIXTURES}`,
  ]);
  expect(code, output).toBe(0);
}, 300_000);

it('the check with types is alive: it finds a floating promise', async () => {
  const { code, output } = await runTool('oxlint', 'oxlint', [
    '--type-aware',

    '--format=unix',
    FIXTURES,
  ]);
  expect(code).not.toBe(0);
  expect(output).toContain('no-floating-promises');
}, 300_000);

it('zod is imported as a namespace: the named import bundles every locale', () => {
  const named = sourceFiles().filter((file) => /import (?:z\b|\{[^}]*\bz\b[^}]*\}) from 'zod'/.test(readSource(file)));
  expect(named).toEqual([]);
});
