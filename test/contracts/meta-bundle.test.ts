import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { rawText } from '../../infra/build/raw-text.ts';
import { OPERATIONS } from '../../shared/contracts/index.ts';
import { functionPath, ROOT } from './support.ts';

const STATIC = OPERATIONS.filter(({ uses, permission }) => uses.table === 'none' && permission === 'public');

/** Clients, storage and wiring, except the process's settings, log and scope. */
const CLIENTS = /@aws-sdk|shared\/storage|shared\/wiring\/(?!process\/(?:config|observe|scope)\.ts)/;

const {
  metafile: { outputs },
} = await build({
  absWorkingDir: ROOT,
  entryPoints: STATIC.map((contract) => join(ROOT, 'functions', `${functionPath(contract)}.ts`)),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  mainFields: ['module', 'main'],
  outdir: 'nowhere',
  write: false,
  metafile: true,
  plugins: [rawText],
});
/** The files that a function loads at start: its entry and the modules that it imports statically. */
const loadedAtStart = (path: string): string[] => {
  const entry = Object.keys(outputs).find((file) => outputs[file]?.entryPoint === `functions/${path}.ts`);
  const reached = new Set(entry === undefined ? [] : [entry]);
  for (const file of reached)
    for (const { path: chunk, kind } of outputs[file]?.imports ?? [])
      if (kind === 'import-statement') reached.add(chunk);
  return [...reached].flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
};

it('some operations are static', () => expect(STATIC.length).toBeGreaterThan(3));

it.each(STATIC.map((contract) => [contract.id, contract] as const))(
  '%s starts without an AWS client',
  (_, contract) => {
    const inputs = loadedAtStart(functionPath(contract));
    expect(inputs.length).toBeGreaterThan(5);
    expect(inputs.filter((file) => CLIENTS.test(file))).toEqual([]);
  },
);

it('JSON is bundled without the spaces that make it readable, and is the same', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export { default } from './openapi.json?raw';", resolveDir: ROOT },
    bundle: true,
    format: 'esm',
    write: false,
    plugins: [rawText],
  });
  const bundled = outputFiles[0]?.text ?? '';
  const module = await import(`data:text/javascript;base64,${Buffer.from(bundled).toString('base64')}`);
  const committed = readFileSync(join(ROOT, 'openapi.json'), 'utf8');
  expect(JSON.parse(module.default)).toEqual(JSON.parse(committed));
  expect(module.default.length).toBeLessThan(committed.length * 0.7);
});
