import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
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
  ...['run-folder', 'plain-imports', 'sampled', 'sampled-table'].map((name) => `test/support/${name}.ts`),
  'package.json',
  'tsconfig.json',
  'biome.json',
  'vitest.config.ts',
  'openapi.json',
  'redocly.yaml',
];
/** The files written for a new operation, beside the contract: in an existing area and in a new one. */
const WRITTEN = {
  'sms.resend-all': [
    'functions/sms/resend-all.ts',
    'shared/domain/channels/sms/resend-all.ts',
    'test/domain/sms-resend-all.test.ts',
  ],
  'weather.tell': ['functions/weather/tell.ts', 'shared/domain/weather/tell.ts', 'test/domain/weather-tell.test.ts'],
};
/** The files that they are added to. */
const CHANGED = [
  'shared/contracts/sms.ts',
  'shared/contracts/weather.ts',
  'shared/contracts/index.ts',
  'shared/openapi/information.ts',
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
    // It must not run inside the copy.
    rmSync(join(folder, 'test/contracts/new-operation.test.ts'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(Object.entries(WRITTEN))(
    '%s is written and documented',
    async (id, files) => {
      const { code, output } = await create(id);
      expect(code, output).toBe(0);
      for (const file of [...files, `events/requests/${id}.json`]) {
        expect(existsSync(join(folder, file)), file).toBe(true);
        expect(output).toContain(file);
      }
      expect(readFileSync(join(folder, 'openapi.json'), 'utf8')).toContain(`"operationId": "${id}"`);
    },
    180_000,
  );

  describe.concurrent('the written files', () => {
    const files = [...Object.values(WRITTEN).flat(), ...CHANGED];

    it('compile', async ({ expect }) => {
      // These files, their imports, and the document, which extends the schemas' types; the other files have a test of their own.
      writeFileSync(
        join(folder, 'written.json'),
        JSON.stringify({
          extends: './tsconfig.json',
          // The project's own is that of all its files, for the next check of its types.
          compilerOptions: { tsBuildInfoFile: './written.tsbuildinfo' },
          include: [],
          files: [...files, 'shared/openapi/document.ts'],
        }),
      );
      const { code, output } = await run(
        'node_modules/typescript/bin/tsc',
        '--pretty',
        'false',
        '--checkers',
        '1',
        '-p',
        'written.json',
      );
      expect(code, output.slice(0, 6000)).toBe(0);
    }, 180_000);

    it('have the format of the project', async ({ expect }) => {
      const { code, output } = await run('node_modules/@biomejs/biome/bin/biome', 'check', ...files);
      expect(code, output).toBe(0);
    }, 180_000);

    it('pass their own tests, and those of the list of operations, of the document and of the operations of their area', async ({
      expect,
    }) => {
      const tests = ['index', 'operations', 'openapi'].map((name) => `test/contracts/${name}.test.ts`);
      const own = Object.values(WRITTEN).map((paths) => String(paths.at(-1)));
      const named = '^(sms\\.|weather\\.|the list of operations|example events|openapi\\.json)';
      const { code, output } = await run(
        'node_modules/vitest/vitest.mjs',
        'run',
        '--maxWorkers=1',
        ...tests,
        ...own,
        '-t',
        named,
      );
      expect(code, output.slice(-6000)).toBe(0);
      expect(output).toMatch(/Test Files .*5 passed/);
    }, 300_000);
  });

  it.each(['sms.resend-all', 'sms.send'])('does not change an existing operation: %s', async (id) => {
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
