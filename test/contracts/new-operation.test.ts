import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from './support.ts';

const COPIED = [
  'shared',
  'functions',
  'infra',
  'events',
  'test/contracts',
  'test/support/run-folder.ts',
  'package.json',
  'tsconfig.json',
  'biome.json',
  'vitest.config.ts',
  'openapi.json',
  'redocly.yaml',
];
const folder = mkdtempSync(join(tmpdir(), 'new-operation-'));
const run = async (...args: string[]): Promise<{ code: number; output: string }> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: folder });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    return { code: 1, output: stdout + stderr };
  }
};
const create = (id: string) => run('infra/build/new-operation.ts', id);

describe('npm run new:operation', () => {
  beforeAll(() => {
    for (const path of COPIED) cpSync(join(ROOT, path), join(folder, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    // Not again from inside of the copy.
    rmSync(join(folder, 'test/contracts/new-operation.test.ts'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['sms.resend-all', 'weather.tell'])(
    '%s compiles, is documented and passes the generated tests',
    async (id) => {
      const { code, output } = await create(id);
      expect(code, output).toBe(0);
      const path = id.replace('.', '/');
      for (const file of [`functions/${path}.ts`, `shared/domain/${path}.ts`, `events/requests/${id}.json`]) {
        expect(existsSync(join(folder, file)), file).toBe(true);
        expect(output).toContain(file);
      }
      expect(readFileSync(join(folder, 'openapi.json'), 'utf8')).toContain(`"operationId": "${id}"`);
    },
    60_000,
  );

  it('what it wrote compiles', async () => {
    const { output } = await run('node_modules/typescript/bin/tsc', '--noEmit', '--pretty', 'false');
    const own = output.split('\n').filter((line) => /resend-all|weather|contracts\/(?:index|sms)|openapi/.test(line));
    expect(own).toEqual([]);
  }, 180_000);

  it('what it wrote has the format and the order of the project', async () => {
    const written = ['weather/tell', 'sms/resend-all'].flatMap((path) => [
      `functions/${path}.ts`,
      `shared/domain/${path}.ts`,
    ]);
    const tests = ['weather-tell', 'sms-resend-all'].map((name) => `test/domain/${name}.test.ts`);
    const { code, output } = await run(
      'node_modules/@biomejs/biome/bin/biome',
      'check',
      ...written,
      ...tests,
      'shared/contracts/weather.ts',
      'shared/openapi/information.ts',
      'shared/contracts/index.ts',
    );
    expect(code, output).toBe(0);
  }, 180_000);

  it('what it wrote passes the tests of every operation', async () => {
    const tests = ['index', 'operations', 'openapi'].map((name) => `test/contracts/${name}.test.ts`);
    const { code, output } = await run(
      'node_modules/vitest/vitest.mjs',
      'run',
      ...tests,
      'test/domain/weather-tell.test.ts',
    );
    expect(code, output.slice(-6000)).toBe(0);
  }, 300_000);

  it.each(['sms.resend-all', 'sms.send'])('does not touch what exists: %s', async (id) => {
    const before = readFileSync(join(folder, 'shared/contracts/sms.ts'), 'utf8');
    const { code, output } = await create(id);
    expect(code).toBe(1);
    expect(output).toContain('already');
    expect(readFileSync(join(folder, 'shared/contracts/sms.ts'), 'utf8')).toBe(before);
  });

  it.each(['', 'sms', 'Sms.send', '../x.y', 'a.b.c'])('refuses the name "%s"', async (id) => {
    expect((await create(id)).code).toBe(1);
  });
});
