import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataModel } from '../../infra/build/data-model.ts';
import { INDEX_KEYS, INDEXES, KEYS } from '../../shared/storage/access-patterns.ts';
import { ROOT } from './support.ts';

const source = readFileSync(join(ROOT, 'shared/storage/access-patterns.ts'), 'utf8');
const committed = readFileSync(join(ROOT, 'docs/data-model.md'), 'utf8');

it('docs/data-model.md is as the key table now stands (else: node infra/build/write-data-model.ts)', () => {
  expect(committed.split('\n')).toEqual(dataModel(source).split('\n'));
});

it('every row, entry and index of the key table is in it, with a sentence', () => {
  for (const name of [...Object.keys(KEYS), ...Object.keys(INDEX_KEYS), ...Object.keys(INDEXES)])
    expect(committed, name).toMatch(new RegExp(`^\\| ${name} \\| [^|]{5,} \\| [^|]`, 'm'));
});

it('an entry that cannot be read stops it', () => {
  expect(() => dataModel(source.replace('/** A contact. */', ''))).toThrow('contact');
});
