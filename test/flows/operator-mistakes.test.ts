import { execFile } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { newId } from '../../shared/domain/core/ids.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { startMessaging } from '../support/api.ts';
import { HEAP_FLAGS } from '../support/heap-flags.ts';
import { tempDir } from '../support/local-stack.ts';
import { operatorJson, operatorOf } from '../support/operator.ts';
import { use } from '../support/use.ts';

/** Of its own: it sets up providers and prices. */
const messaging = await use(startMessaging());
const admin = operatorOf(messaging.dataDir);
const json = operatorJson(messaging.dataDir);
const refusalOf = async (...words: string[]) => {
  const { code, stdout, stderr } = await admin(...words);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return stderr;
};

describe('where a command works', () => {
  test.each(['--stage-prefix', '--data-dir', '--limit'])(
    'an empty %s is refused, and selects no default',
    async (option) => {
      expect(await refusalOf('organization', 'list', option, '')).toContain(`${option}: must not be empty`);
      expect(await refusalOf('organization', 'list', `${option}= `)).toContain(`${option}: must not be empty`);
    },
  );

  test.each([['--deployed'], ['--stage-prefix', 'Messaging']])(
    '%s and --data-dir are refused together',
    async (...words) => {
      const both = await refusalOf('organization', 'list', ...words, '--data-dir', messaging.dataDir);
      expect(both).toContain('Give either --data-dir, or --deployed or --stage-prefix.');
    },
  );

  test('an empty DATA_DIR selects the default folder, not the current one', { timeout: 60_000 }, async () => {
    const cwd = await tempDir();
    const main = join(import.meta.dirname, '../../infra/operator/main.ts');
    const env = { ...process.env, DATA_DIR: '' };
    await promisify(execFile)(process.execPath, [...HEAP_FLAGS, main, 'organization', 'list'], { cwd, env });
    expect(await readdir(cwd)).toEqual(['.local']);
  });
});

describe('provider remove', () => {
  const provider = ['--env', 'test', '--channel', 'sms', '--provider'];
  const settings = JSON.stringify({ accountSid: `AC${'0'.repeat(32)}`, authToken: 'secret', from: '+15005550006' });

  test('answers whether the provider was set up', async () => {
    await json('provider', 'set', ...provider, 'twilio', '--settings', settings);
    expect(await json('provider', 'remove', ...provider, 'twilio')).toMatchObject({ removed: true });
    expect(await json('provider', 'remove', ...provider, 'twilio')).toMatchObject({ removed: false });
    expect(
      (await json('audit', 'list', '--env', 'test')).items.map(({ action }: { action: string }) => action),
    ).toEqual(['provider.removed', 'provider.set']);
  });

  test('refuses a name that no adapter has, unless settings of that name are stored', async () => {
    expect(await refusalOf('provider', 'remove', ...provider, 'twillio')).toContain('no adapter for twillio on sms');
    const stored = { sealed: 'x', updatedAt: new Date().toISOString() };
    await messaging.tables.test.putMany([{ ...KEYS.provider('sms', 'former'), ...stored }]);
    expect(await json('provider', 'remove', ...provider, 'former')).toMatchObject({ removed: true });
  });
});

describe('prices set', () => {
  test('refuses a start before that of the table in force in either environment, and names when a scheduled one replaces it', async () => {
    const file = join(messaging.dataDir, 'prices.json');
    await writeFile(file, JSON.stringify((await json('prices', 'show')).items));
    const set = (from: string, ...more: string[]) => [
      'prices',
      'set',
      '--file',
      file,
      '--effective-from',
      from,
      ...more,
    ];
    expect((await json(...set('2026-03-01T00:00:00Z', '--env', 'test'))).until).toEqual({});
    expect(await refusalOf(...set('2026-02-28T23:59:59Z'))).toContain(
      'the table in force in test began at 2026-03-01T00:00:00.000Z',
    );
    expect((await json('prices', 'show', '--env', 'live')).effectiveFrom).toBe('1970-01-01T00:00:00.000Z');
    await json(...set('2998-01-01T00:00:00Z', '--env', 'test'));
    await json(...set('2999-01-01T00:00:00Z', '--env', 'test'));
    const { until } = await json(...set('2026-03-01T00:00:00Z'));
    expect(until).toEqual({ test: '2998-01-01T00:00:00.000Z' });
    expect((await json(...set('2998-06-01T00:00:00Z', '--env', 'test'))).until).toEqual({
      test: '2999-01-01T00:00:00.000Z',
    });
  });
});

describe('work retry', () => {
  test('finds the row of --pk, however many of its kind were set aside before it', async () => {
    const ids = Array.from({ length: 105 }, () => newId('upload'));
    const { duePk } = INDEX_KEYS.due('abandon_upload', ids[0] as never, 0);
    await messaging.tables.test.putMany(
      ids.map((id, at) => ({ ...KEYS.upload(id), ...INDEX_KEYS.setAside('abandon_upload', at), asideFrom: duePk })),
    );
    const retry = ['work', 'retry', '--env', 'test', '--pk', KEYS.upload(ids[104] as never).pk];
    expect(await json(...retry, '--kind', 'send_message')).toMatchObject({ retried: 0 });
    expect(await json(...retry)).toMatchObject({ retried: 1 });
    expect(await json(...retry)).toMatchObject({ retried: 0 });
    expect((await json('work', 'list', '--env', 'test', '--max', '1000')).items).toHaveLength(104);
  });
});
