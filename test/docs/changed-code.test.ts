import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedFiles, git, measuredText } from '../../bench/changed-code.ts';

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

test('a file that is added, removed, moved or changed in code is a changed file, and one with another comment is not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'changed-code-'));
  const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
  try {
    git(['init', '--quiet'], folder);
    mkdirSync(join(folder, 'bench'));
    for (const name of ['same', 'comment', 'code', 'moved', 'removed']) write(`${name}.ts`, `${BEFORE}// ${name}\n`);
    write('settings.json', '{ "a": 1 }\n');
    write('bench/measures.ts', BEFORE);
    git(['add', '.'], folder);
    const author = ['-c', 'user.name=Ana', '-c', 'user.email=ana@loja.example', '-c', 'commit.gpgsign=false'];
    git([...author, 'commit', '--quiet', '--message=Before'], folder);
    const commit = git(['rev-parse', 'HEAD'], folder);
    write('comment.ts', `${BEFORE}// Another.\n`);
    write('code.ts', BEFORE.replace('* 2', '* 3'));
    write('settings.json', '{ "a": 2 }\n');
    write('bench/measures.ts', BEFORE.replace('* 2', '* 3'));
    write('added.ts', BEFORE);
    git(['mv', 'moved.ts', 'to.ts'], folder);
    git(['rm', '--quiet', 'removed.ts'], folder);
    git(['add', '.'], folder);
    const changed = ['added.ts', 'code.ts', 'moved.ts', 'removed.ts', 'settings.json', 'to.ts'];
    expect(changedFiles(commit, ['.', ':(exclude)bench'], folder)).toEqual(changed);
    expect(() => changedFiles('0123abcd', ['.'], folder)).toThrow();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
