import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { Messaging } from '../../sdk/typescript/src/index.ts';
import { sdkCallOf } from '../../shared/openapi/reference/calls.ts';
import { modelOf, type OpenApiDocument } from '../../shared/openapi/reference/model.ts';

const ROOT = join(import.meta.dirname, '../..');
const document: OpenApiDocument = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'));
const model = modelOf(document);
const calls = [...model.entries.values()].flatMap((entry) => sdkCallOf(model, entry) ?? []);

it('the reference shows each method of the SDK once, but for those that ask for CSV', () => {
  const client = new Messaging({ baseUrl: 'https://messaging.example', apiKey: 'svc_test_1' });
  const methods = Object.entries(client).flatMap(([group, resource]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
      .filter((name) => name !== 'constructor' && !name.endsWith('Csv'))
      .map((name) => `${group}.${name}`),
  );
  const shown = calls.map((call) => /messaging\.(\w+\.\w+)\(/.exec(call)?.[1]);
  expect(methods.length).toBeGreaterThan(100);
  expect([...shown].sort()).toEqual(methods.filter((name) => shown.includes(name) || isOperation(name)).sort());
  expect(new Set(shown).size).toBe(shown.length);
});

/** Groups of the client that are no operations have names of their own. */
const isOperation = (name: string): boolean => {
  const [group = ''] = name.split('.');
  return [...model.entries.keys()].some((id) => id.split('.')[0]?.replaceAll('-', '') === group.toLowerCase());
};

it('each call of the reference is one that the types of the SDK accept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'reference-calls-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const inPaths = new Set([...model.entries.values()].flatMap(({ path }) => path.match(/(?<=\{)\w+/g) ?? []));
  const index = join(ROOT, 'sdk/typescript/src/index.ts');
  const program = `import { Messaging } from '${index}';
declare const bytes: Uint8Array<ArrayBuffer>;
declare const ${[...inPaths].map((name) => `${name}: string`).join(', ')};
const messaging = new Messaging({ baseUrl: '', apiKey: '' });
${calls.map((call) => `{\n${call}\n}`).join('\n')}
`;
  await writeFile(join(folder, 'calls.mts'), program);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    module: 'nodenext',
    target: 'esnext',
    lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['calls.mts'] }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, '-p', folder, '--pretty', 'false']).catch(
    (error: { stdout: string }) => error,
  );
  expect(stdout).toBe('');
}, 120_000);
