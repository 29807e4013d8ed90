import { expect, it } from 'vitest';
import { AREAS } from '../area.ts';
import { filesIn } from './tools.ts';

const TESTS = filesIn('test').filter((file) => file.endsWith('.test.ts'));

it('every test belongs to an area of the product, so that `npm run test:area` finds it', () => {
  const known = Object.values(AREAS).flat();
  expect(TESTS.filter((file) => !known.some((part) => file.includes(part)))).toEqual([]);
});

it('every path of an area matches a test', () => {
  const parts = Object.values(AREAS).flat();
  expect(parts.filter((part) => !TESTS.some((file) => file.includes(part)))).toEqual([]);
});
