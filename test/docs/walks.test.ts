import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');

interface Step {
  readonly file: string;
  readonly name: string;
}

const walks = [
  ...page.matchAll(/## ([^\n]*)\n(?:(?!## )[\s\S])*?<!-- walk: at most (\d+) -->\n([\s\S]*?)<!-- end -->/g),
].map(([, title = '', most, list = '']) => ({
  title,
  most: Number(most),
  steps: [...list.matchAll(/^\d+\. `([^`]+)` `([^`]+)`: /gm)].map(([, file = '', name = '']): Step => ({ file, name })),
  lines: list.trim().split('\n').length,
}));
const textOf = ({ file }: Step): string => readFileSync(join(ROOT, file), 'utf8');
/** The text without comments: a mention in a comment is no use of a name. */
const code = (text: string): string => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');

test('the architecture page traces a send to the provider in at most 12 files, and a callback to its webhook in at most 18', () => {
  expect(walks.map(({ most }) => most)).toEqual([12, 18]);
});

describe.each(walks)('$title', ({ most, steps, lines }) => {
  test(`passes at most ${most} files, each of which exists and contains the name`, () => {
    expect(steps.length).toBe(lines);
    expect(new Set(steps.map(({ file }) => file)).size).toBe(steps.length);
    expect(steps.length).toBeLessThanOrEqual(most);
    for (const step of steps) {
      expect(existsSync(join(ROOT, step.file)), step.file).toBe(true);
      expect(code(textOf(step)), `${step.file} has no ${step.name}`).toMatch(new RegExp(`\\b${step.name}\\b`));
    }
  });

  test('reaches each file from an earlier one, by an import or a port', () => {
    for (const [at, step] of steps.entries()) {
      if (step.name === 'handler') continue;
      const before = steps.slice(0, at).map((earlier) => code(textOf(earlier)));
      expect(
        before.some((text) => new RegExp(`\\b${step.name}\\b`).test(text)),
        `nothing before ${step.file} mentions ${step.name}`,
      ).toBe(true);
    }
  });
});
