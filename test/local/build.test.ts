import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, it, vi } from 'vitest';
import { buildFunctions } from '../../infra/build/build.ts';
import { packFunctions } from '../../infra/build/pack.ts';
import { tempDir } from '../support/local-stack.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });
const root = join(import.meta.dirname, '../..');
const show = () => join(folder, 'dist/functions/echo/show');
const options = () => ({ root, functionsDir: join(folder, 'functions'), outDir: join(folder, 'dist') });

const folder = await tempDir();
await cp(join(import.meta.dirname, 'fixtures/functions/echo'), join(folder, 'functions/echo'), {
  recursive: true,
  filter: (source) => !/store|read\.ts/.test(source),
});
await writeFile(
  join(folder, 'functions/lazy.ts'),
  `export const handler = async () => (await import('${root}/shared/queues/queues.ts')).QUEUE_NAMES;\n`,
);
await writeFile(
  join(folder, 'functions/calls.ts'),
  `import * as http from 'node:http';
import { request } from 'node:https';
export const handler = () => [typeof http.request, typeof request, process.moduleLoadList];\n`,
);
await writeFile(
  join(folder, 'requires.cjs'),
  `module.exports = (name) => require(['node', name].join(':')).platform();\n`,
);
await writeFile(
  join(folder, 'functions/requires.ts'),
  `import platformOf from '../requires.cjs';\nexport const handler = () => platformOf('os');\n`,
);
await writeFile(
  join(folder, 'shared.ts'),
  `export const seen: string[] = [];
export const see = (what: string) => void seen.push(what);
export const ofSecond = () => 'of the second alone';\n`,
);
await writeFile(
  join(folder, 'later.ts'),
  `import { see, seen } from './shared.ts';\nexport const show = () => (see('later'), seen);\n`,
);
await mkdir(join(folder, 'functions/parts'));
await writeFile(
  join(folder, 'functions/parts/first.ts'),
  `import { see } from '../../shared.ts';
export const handler = async () => (see('at start'), (await import('../../later.ts')).show());\n`,
);
await writeFile(
  join(folder, 'functions/parts/second.ts'),
  `import { ofSecond, see } from '../../shared.ts';
export const handler = async () => (see(ofSecond()), (await import('../../later.ts')).show());\n`,
);
const first = await packFunctions(options());
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The result of a function that was copied to another folder, in a process of its own. */
const resultOf = async (name: string): Promise<unknown> => {
  const asset = join(folder, 'alone', name);
  await cp(join(folder, 'dist/functions', name), asset, { recursive: true });
  const script = `import('${asset}/index.mjs').then(async ({ handler }) => console.log(JSON.stringify(await handler())))`;
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script]);
  return JSON.parse(stdout);
};

it('builds for every function a folder that works on its own', async () => {
  expect(await resultOf('lazy')).toContain('outcome');
});

it('builds functions that call over HTTP and load nothing of Node that they do not use', async () => {
  const [http, https, loaded] = (await resultOf('calls')) as [string, string, string[]];
  expect([http, https]).toEqual(['function', 'function']);
  expect(loaded).toContain('NativeModule http');
  expect(loaded).not.toContain('NativeModule internal/deps/undici/undici');
});

it('builds functions whose packages require a module that only they know, and makes one require at most for all modules', async () => {
  expect(await resultOf('requires')).toBe(process.platform);
  for (const name of ['requires', 'parts/first', 'parts/second', 'lazy']) {
    const text = await readFile(join(folder, 'dist/functions', name, 'index.mjs'), 'utf8');
    expect(text.match(/import\.meta\.url/g)?.length ?? 0, name).toBeLessThanOrEqual(1);
  }
});

it('builds one instance of what a function uses at start and later, and keeps nothing of what only another uses', async () => {
  expect(await resultOf('parts/first')).toEqual(['at start', 'later']);
  expect(await resultOf('parts/second')).toEqual(['of the second alone', 'later']);
  const atStart = (name: string) => readFile(join(folder, 'dist/functions/parts', name, 'index.mjs'), 'utf8');
  expect(await atStart('second')).toContain('of the second alone');
  expect(await atStart('first')).not.toContain('of the second alone');
});

it('puts into a folder only what its function imports', async () => {
  const files = await readdir(show());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(show(), file))).size));
  const { bytes, bytesWithDynamic } = first.functions['echo/show'] ?? { bytes: 0, bytesWithDynamic: 0 };
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(bytes);
  expect(bytesWithDynamic).toBe(bytes);
});

it('counts dynamic imports of a function separately from static ones', () => {
  const { bytes = 0, bytesWithDynamic = 0 } = first.functions.lazy ?? {};
  expect(bytes).toBeLessThan(10_000);
  expect(bytesWithDynamic).toBeGreaterThan(50_000);
});

it('skips the build when nothing changed, and rebuilds when a source did', async () => {
  expect(first.packed).toBe(true);
  expect((await packFunctions(options())).packed).toBe(false);
  const file = join(folder, 'functions/echo/show.ts');
  await writeFile(file, `${await readFile(file, 'utf8')}\nexport const changed = true;\n`);
  expect((await buildFunctions(options())).built).toBe(true);
  const again = await packFunctions(options());
  expect([again.packed, again.hash === first.hash]).toEqual([true, false]);
  expect((await buildFunctions(options())).built).toBe(false);
});
