import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
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
