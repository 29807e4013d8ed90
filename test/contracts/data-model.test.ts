import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { dataModel, dataModelSource } from '../../infra/build/data-model.ts';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { INDEXES } from '../../shared/storage/table-indexes.ts';
import { ROOT } from './support.ts';

const source = dataModelSource(ROOT);
const committed = readFileSync(join(ROOT, 'docs/data-model.md'), 'utf8');

it('docs/data-model.md matches the key table (else: node infra/build/write-data-model.ts)', () => {
  expect(committed.split('\n')).toEqual(dataModel(source).split('\n'));
});

it('every row, entry and index of the key table is in it, with a sentence', () => {
  for (const name of [...Object.keys(KEYS), ...Object.keys(INDEX_KEYS), ...Object.keys(INDEXES)])
    expect(committed, name).toMatch(new RegExp(`^\\| ${name} \\| [^|]{5,} \\| [^|]`, 'm'));
});

it('an entry without a sentence is an error', () => {
  expect(() => dataModel(source.replace('/** A contact. */', ''))).toThrow('contact');
});
