import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'vitest';
import { startMessaging } from '../support/api.ts';
import { use } from '../support/use.ts';
import { blocksOfGuide, differencesOf, startTerminal } from './guide.ts';

const PROJECT = join(import.meta.dirname, '../..');
const FOLDER = join(PROJECT, 'docs/guides');
const GUIDES = readdirSync(FOLDER).filter((file) => file.endsWith('.md') && file !== 'README.md');
const messaging = await use(startMessaging({ smppPort: 0 }));

test('only blocks of a deployment are not run', ({ expect }) => {
  const isSkipped = (guide: string) =>
    blocksOfGuide(readFileSync(join(FOLDER, guide), 'utf8')).some((block) => block.notRun);
  expect(GUIDES.filter(isSkipped)).toEqual(['deploy.md']);
});

describe('every block of code of a guide runs and prints what is shown', { timeout: 180_000 }, () => {
  test.concurrent.for(GUIDES)('%s', async (guide, { expect, onTestFinished }) => {
    const tenant = await messaging.tenant();
    const folder = mkdtempSync(join(tmpdir(), 'guide-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const terminal = startTerminal(folder, { SMPP_PORT: String(messaging.smppPort) });
    onTestFinished(terminal.close);
    const here = (text: string) =>
      text
        .replaceAll('http://127.0.0.1:3000', messaging.url)
        .replaceAll(
          'npm run --silent admin',
          `DATA_DIR='${messaging.dataDir}' npm --prefix '${PROJECT}' run --silent admin`,
        )
        .replaceAll(/--file (\S+)/g, `--file '${folder}/$1'`)
        .replaceAll('svc_test_…', tenant.test.key ?? '')
        .replaceAll('svc_live_…', tenant.live.key ?? '');
    for (const block of blocksOfGuide(readFileSync(join(FOLDER, guide), 'utf8'))) {
      if (block.notRun) continue;
      expect(block.language, `line ${block.line}`).toBe('bash');
      const { code, stdout, stderr } = await terminal.run(here(block.text));
      expect({ line: block.line, code, stderr }).toEqual({ line: block.line, code: 0, stderr: '' });
      expect({ line: block.line, differences: differencesOf(block, stdout) }).toEqual({
        line: block.line,
        differences: [],
      });
    }
  });
});
