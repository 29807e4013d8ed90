import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { changedFiles, measuredText } from '../../bench/changed-code.ts';
import { git } from '../../bench/git.ts';

const BEFORE = `/** Coins. */
export const priceOf = (parts: number): { coins: number } => {
  const twice = parts * 2; // Both parts.
  return { coins: twice };
};
`;

test.each([
  ['a comment', BEFORE.replace('Coins.', 'The price, in coins.').replace('// Both parts.', '')],
  ['a type', BEFORE.replace(': { coins: number }', '')],
  ['the format', BEFORE.replaceAll('\n', '\n\n')],
  ['the name of a variable', BEFORE.replaceAll('twice', 'doubled')],
])('a change to %s changes no figure', (_, after) => {
  expect(after).not.toBe(BEFORE);
  expect(measuredText('shared/price.ts', after)).toBe(measuredText('shared/price.ts', BEFORE));
});

test.each([
  ['a number', BEFORE.replace('* 2', '* 3')],
  ['the name of a property, which may be stored', BEFORE.replaceAll('coins:', 'price:')],
  ['an exported name', BEFORE.replace('priceOf', 'costOf')],
  ['a text', `${BEFORE}export const KEY = 'A';\n`],
])('a change to %s may change one', (_, after) =>
  expect(measuredText('shared/price.ts', after)).not.toBe(measuredText('shared/price.ts', BEFORE)),
);

/** A repository in a folder of its own, with these files committed. */
const useRepository = async (
  files: Readonly<Record<string, string>>,
  use: (folder: string, write: (path: string, text: string) => void) => Promise<void> | void,
) => {
  const folder = mkdtempSync(join(tmpdir(), 'changed-code-'));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  try {
    git(['init', '--quiet'], folder);
    for (const [path, text] of Object.entries(files)) write(path, text);
    git(['add', '.'], folder);
    const author = ['-c', 'user.name=Ana', '-c', 'user.email=ana@loja.example', '-c', 'commit.gpgsign=false'];
    git([...author, 'commit', '--quiet', '--message=Before'], folder);
    await use(folder, write);
  } finally {
    rmSync(folder, { recursive: true });
  }
};

test('a script of a tool changes no figure; another one and a package may', () => {
  const text = (start: string, lint: string, zod: string) =>
    measuredText('package.json', JSON.stringify({ scripts: { start, lint }, dependencies: { zod } }));
  const before = text('node start.ts', 'biome ci', '4.6.7');
  expect(text('node start.ts', 'biome lint', '4.6.7')).toBe(before);
  expect(text('node other.ts', 'biome ci', '4.6.7')).not.toBe(before);
  expect(text('node start.ts', 'biome ci', '4.6.8')).not.toBe(before);
});

test('a file that is added, removed, moved or changed in code is a changed file, and one with another comment is not', async () => {
  const named = ['same', 'comment', 'code', 'moved', 'removed'].map((name) => [`${name}.ts`, `${BEFORE}// ${name}\n`]);
  const files = { ...Object.fromEntries(named), 'settings.json': '{ "a": 1 }\n', 'bench/measures.ts': BEFORE };
  await useRepository(files, (folder, write) => {
    write('comment.ts', `${BEFORE}// Another.\n`);
    write('code.ts', BEFORE.replace('* 2', '* 3'));
    write('settings.json', '{ "a": 2 }\n');
    write('bench/measures.ts', BEFORE.replace('* 2', '* 3'));
    write('added.ts', BEFORE);
    git(['mv', 'moved.ts', 'to.ts'], folder);
    git(['rm', '--quiet', 'removed.ts'], folder);
    git(['add', '.'], folder);
    const changed = ['added.ts', 'code.ts', 'moved.ts', 'removed.ts', 'settings.json', 'to.ts'];
    expect(changedFiles('HEAD', ['.', ':(exclude)bench'], folder)).toEqual(changed);
    expect(() => changedFiles('0123abcd', ['.'], folder)).toThrow();
  });
});

const SERVICE = {
  'functions/send.ts': `import { limit } from '../shared/limit.ts';
export const handler = async (parts: number) => {
  const { priceOf } = await import('../shared/price.ts');
  return priceOf(Math.min(parts, limit));
};\n`,
  'functions/preview.ts': "export { priceOf as handler } from '../shared/price.ts';\n",
  'shared/price.ts': BEFORE,
  'functions/balance.ts': `import { credit } from '../shared/wallet.ts';
export const handler = (coins: number) => credit(coins, 1);\n`,
  'shared/wallet.ts': `export const credit = (coins: number, by: number) => by + coins;
export const debit = (coins: number, by: number) => by - coins;\n`,
  'shared/limit.ts': 'export const limit = 9;\n',
  'package.json': '{ "type": "module" }\n',
};
const MOVED = 'shared/pricing/cost.ts';
const CHANGED = ['functions/preview.ts', 'functions/send.ts', 'shared/price.ts', MOVED];

test.each<[string, (text: string) => string, string[]]>([
  ['only moved, and its exports renamed, is not a changed file', (text) => text, []],
  ['moved and changed is', (text) => text.replace('* 2', '* 3'), CHANGED],
  ['moved with the name of a property changed is', (text) => text.replaceAll('coins:', 'price:'), CHANGED],
])('a module of the service that is %s', async (_, edit, changed) =>
  useRepository(SERVICE, (folder, write) => {
    for (const path of ['functions/preview.ts', 'functions/send.ts'] as const)
      write(path, SERVICE[path].replaceAll('priceOf', 'costOf').replace('price.ts', 'pricing/cost.ts'));
    write(MOVED, edit(BEFORE.replaceAll('priceOf', 'costOf')));
    git(['rm', '--quiet', 'shared/price.ts'], folder);
    git(['add', '.'], folder);
    const staged = git(['diff', '--cached', '--name-only'], folder);
    expect(changedFiles('HEAD', ['.'], folder)).toEqual(changed);
    expect(git(['diff', '--cached', '--name-only'], folder), 'the index').toBe(staged);
  }),
);

test('a function that calls another one is a changed file', async () =>
  useRepository(SERVICE, (folder, write) => {
    write('functions/balance.ts', SERVICE['functions/balance.ts'].replaceAll('credit', 'debit'));
    expect(changedFiles('HEAD', ['.'], folder)).toEqual(['functions/balance.ts']);
  }));

test('where a new name of a module changes the order of imports, no file is changed', async () => {
  const both = `import { a } from '../shared/a.ts';
import { b } from '../shared/b.ts';
export const handler = () => [a, b];\n`;
  const files = {
    'functions/both.ts': both,
    'shared/a.ts': "export const a = ['a'];\n",
    'shared/b.ts': 'export const b = 2;\n',
  };
  await useRepository(files, (folder, write) => {
    const [first = '', second = '', ...others] = both.replaceAll('a.ts', 'c.ts').split('\n');
    write('functions/both.ts', [second, first, ...others].join('\n'));
    git(['mv', 'shared/a.ts', 'shared/c.ts'], folder);
    expect(changedFiles('HEAD', ['.'], folder)).toEqual([]);
  });
});
