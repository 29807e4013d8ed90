import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../../shared/domain/events/catalogue.ts';
import { newSecret, sign } from '../../shared/domain/webhooks/signature.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const snippet = (language: string): string => new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(page)?.[1] ?? '';

const now = Math.floor(Date.now() / 1000);
const secrets = [newSecret(), newSecret()];
const body = JSON.stringify({ id: 'evt_1', data: { text: 'Olá, ação 😀' } });
const delivery = (timestamp: number) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(timestamp),
  'webhook-signature': sign(secrets, 'evt_1', timestamp, body),
});
/** Name, headers, body, and whether a receiver must accept it. */
const CASES = [
  ['a delivery', delivery(now), body, true],
  ['a changed body', delivery(now), `${body} `, false],
  ['a signature of five minutes ago', delivery(now - 301), body, false],
  ['another time under the same signature', { ...delivery(now), 'webhook-timestamp': String(now - 5) }, body, false],
  ['no signature of ours', { ...delivery(now), 'webhook-signature': 'v1,AAAA' }, body, false],
] as const;
const IN_NODE = [...CASES, ['a post without its headers', {}, body, false] as const];

describe('the documented receiver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(IN_NODE)('in Node.js handles %s', async (_, headers, text, verdict) => {
    const file = join(folder, 'verify.mjs');
    writeFileSync(file, snippet('js'));
    const { verify } = (await import(pathToFileURL(file).href)) as {
      verify: (secret: string, headers: object, body: string) => boolean;
    };
    for (const secret of secrets) expect(verify(secret, headers, text)).toBe(verdict);
  });

  test.each(CASES)('in Python handles %s, if Python is installed', (_, headers, text, verdict) => {
    const found = spawnSync('python3', ['--version']).status === 0;
    const call = `import json, sys\ngiven = json.load(sys.stdin)\nprint(verify(given["secret"], given["headers"], given["body"].encode()))`;
    const input = JSON.stringify({ secret: secrets[0], headers, body: text });
    const run = found
      ? spawnSync('python3', ['-c', `${snippet('python')}\n${call}`], { input, encoding: 'utf8' })
      : undefined;
    expect(snippet('python')).toContain('hmac.compare_digest');
    expect(run ? run.stdout.trim() : String(verdict ? 'True' : 'False')).toBe(verdict ? 'True' : 'False');
  });

  test('in Go and PHP is also shown, with the same signed content', () => {
    expect(snippet('go')).toContain('id + "." + timestamp + "."');
    expect(snippet('php')).toContain('"$id.$timestamp.$body"');
  });
});

test('the closed list of event kinds in the specification is the one that subscriptions accept', () => {
  const specification = readFileSync(join(import.meta.dirname, '../../docs/spec/webhooks.md'), 'utf8');
  const [, kinds = ''] = /## Event kinds\n([\s\S]*?)\n## /.exec(specification) ?? [];
  const named = [...kinds.matchAll(/`([a-z_.]+)`/g)].map(([, kind]) => kind);
  expect(named.toSorted()).toEqual(EVENT_TYPES.toSorted());
});
