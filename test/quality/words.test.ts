import { expect, test } from 'vitest';
import { readSource, sourceFiles } from './tools.ts';

/** Folders whose comments and test titles are plain English. */
const FOLDERS = ['functions', 'shared', 'infra', 'test'];
/** Test inputs, which break rules on purpose, and the examples below. */
const EXCLUDED = /^test\/quality\/(?:fixtures\/|words\.test\.ts)/;

/** Words for which the field has a term: report, notify, publish, deliver, check, read, again, continue, defer, result. */
const AVOIDED =
  /\b(?:tells?|told|telling|anew|couriers?|worked off|puts? off|goes on|go on|nobody|what became of|what becomes of|(?:looks?|looked|looking) (?:at|into|after))\b|^What [a-zA-Z]/iu;

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^[ \t]*|[;,{}()[\]] )\/\/.*(?:\n[ \t]*\/\/.*)*/gm;
const TITLE =
  /(?<![.\w])(?:describe|test|it)(?:\.(?!each)\w+)*\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`$]*)`)/g;

/** The text of a comment without its marks and without code in backticks. */
const textOf = (comment: string): string =>
  comment
    .replace(/^\s*\/\*+|\*\/$/g, '')
    .replace(/^[^/\n]*\/\/+ ?|^[ \t]*\* ?/gm, '')
    .replace(/`[^`]*`/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const found = (texts: readonly string[]): string[] => texts.filter((text) => AVOIDED.test(text));

test('comments and test titles use the terms of the field instead of loose words', () => {
  const files = sourceFiles(FOLDERS).filter((file) => !EXCLUDED.test(file));
  const faults = files.flatMap((file) => {
    const source = readSource(file);
    const comments = [...source.matchAll(COMMENT)].map(([comment]) => textOf(comment));
    const titles = [...source.matchAll(TITLE)].map(
      ([, single, double, template]) => single ?? double ?? template ?? '',
    );
    return found([...comments, ...titles]).map((text) => `${file}: ${text}`);
  });
  expect(files.length).toBeGreaterThan(1_000);
  expect(faults).toEqual([]);
});

test.each([
  ['/** What a run is told. */', true],
  ['// Looks into\n// the table anew.', true],
  ['/** Whether `told` is set, and the error is looked up. */', false],
])('of %j the words are found: %s', (comment, isFault) => {
  expect(found([textOf(comment)]).length > 0).toBe(isFault);
});
