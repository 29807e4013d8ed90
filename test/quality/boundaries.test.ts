import { expect, it } from 'vitest';
import { readSource, runTool, sourceFiles } from './tools.ts';

interface Cruise {
  readonly modules: readonly { readonly source: string; readonly dependencies: readonly unknown[] }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
    }[];
    readonly ruleSetUsed: { readonly forbidden: readonly { readonly name: string; readonly comment?: string }[] };
  };
}
const FOLDERS = ['functions', 'shared', 'infra', 'console'];

const cruise = async (): Promise<Cruise> => {
  const { stdout, output } = await runTool('dependency-cruiser', 'depcruise', [...FOLDERS, '--output-type', 'json']);
  expect(stdout, output).toMatch(/^\s*\{/);
  return JSON.parse(stdout) as Cruise;
};

it('imports between folders follow the boundaries, and their rules are documented', async () => {
  const { modules, summary } = await cruise();
  expect(summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`)).toEqual([]);

  // A broken parser finds no violation: every file must have been read, with its imports.
  const read = new Set(modules.map(({ source }) => source));
  expect(sourceFiles(FOLDERS).filter((file) => !read.has(file) && !file.endsWith('.d.ts'))).toEqual([]);
  expect(modules.flatMap(({ dependencies }) => dependencies).length).toBeGreaterThan(modules.length);
  for (const { name, comment } of summary.ruleSetUsed.forbidden) expect(comment, name).toBeTruthy();
}, 300_000);

it('only the configuration, the local stack, the command line and the build read the environment', () => {
  const readers = /^(?:shared\/wiring\/process\/config\.ts|infra\/(?:local|operator|build)\/.*|infra\/app\.ts)$/;
  const others = sourceFiles(FOLDERS).filter(
    (file) => !readers.test(file) && /\bprocess\.env\b/.test(withoutComments(readSource(file))),
  );
  expect(others).toEqual([]);
});

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');

it('only the key table makes the partition keys of rows: what a function can write is read from there', () => {
  const makers =
    /^shared\/storage\/(?:access-patterns|automation-patterns|index-patterns|key-parts|partitions|sales-patterns|table-indexes)\.ts$/;
  const others = sourceFiles(FOLDERS).filter(
    (file) => !makers.test(file) && /\bpk: *['"`]|`[A-Z]+#\$\{/.test(withoutComments(readSource(file))),
  );
  expect(others).toEqual(['shared/storage/client/table.ts']);
});
