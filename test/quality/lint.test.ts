import { expect, it } from 'vitest';
import { readSource, runTool, sourceFiles } from './tools.ts';

/** Deliberate faults. */
const FIXTURES = 'test/quality/fixtures/';

it('the format is consistent, and no test is focused or skipped', async () => {
  const { code, output } = await runTool('@biomejs/biome', 'biome', [
    'ci',
    '--max-diagnostics=60',
    '--colors=off',
    '--error-on-warnings',
  ]);
  expect(code, output).toBe(0);
}, 300_000);

it('no promise floats and no imports form a cycle; the check works: it finds those that do on purpose', async () => {
  const { code, output } = await runTool('oxlint', 'oxlint', ['--type-aware', '--deny-warnings', '--format=unix']);
  const found = output.split('\n').filter((line) => /^\S+:\d+:\d+: /.test(line));
  expect(found.filter((line) => !line.startsWith(FIXTURES))).toEqual([]);
  for (const rule of ['no-floating-promises', 'no-cycle']) expect(found.join('\n')).toContain(rule);
  // The count matches, so that no problem is reported in another form.
  expect({ code, count: /(\d+) problems?/.exec(output)?.[1] }).toEqual({ code: 1, count: String(found.length) });
}, 300_000);

it('zod is imported as a namespace: the named import bundles every locale', () => {
  const named = sourceFiles().filter((file) => /import (?:z\b|\{[^}]*\bz\b[^}]*\}) from 'zod'/.test(readSource(file)));
  expect(named).toEqual([]);
});
