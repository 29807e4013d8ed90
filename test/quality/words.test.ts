import { expect, test } from 'vitest';
import { filesIn, readSource, sourceFiles } from './tools.ts';

/** Folders whose comments and test titles are plain English. */
const FOLDERS = [
  'functions',
  'shared',
  'infra',
  'test',
  'console/src',
  'sdk/typescript/src',
  'sdk/typescript/generate',
];
/** Test inputs, which break rules on purpose, the examples below, and generated code. */
const EXCLUDED = /^(?:test\/quality\/(?:fixtures\/|words\.test\.ts)|sdk\/typescript\/src\/generated\/)/;
/** Pages of people; `docs/data-model.md` is generated from comments, which are checked where they are written. */
const PAGES = ['README.md', 'CONTRIBUTING.md', 'sdk/typescript/README.md', 'sdk/typescript/CHANGELOG.md'];
/** Folders whose strings are read by callers: descriptions of the API, and the guide of problems. */
const DESCRIBING = ['shared/contracts', 'shared/openapi'];

/** Words for which the field has a term: report, notify, publish, deliver, check, read, again, continue, defer, result. */
const WORDS =
  /\b(?:tells?|told|telling|anew|couriers?|worked off|puts? off|goes on|go on|nobody|what became of|what becomes of|(?:looks?|looked|looking) (?:at|into|after))\b/iu;
/** A comment that begins with "What …" describes a thing by a riddle instead of its name; in pages it may ask a question. */
const RIDDLE = /^What [a-zA-Z]/u;
/** Of asynchronous sends and of permanence, where pages and descriptions used to speak of departures. */
const IN_PROSE = /\b(?:leaves? by (?:itself|themselves)|for want of|whoever finds|so many days)\b/iu;

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^[ \t]*|[;,{}()[\]] )\/\/.*(?:\n[ \t]*\/\/.*)*/gm;
const TITLE =
  /(?<![.\w])(?:describe|test|it)(?:\.(?!each)\w+)*\(\s*(?:'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`([^`$]*)`)/g;
const LITERAL = /'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g;

/** The text of a comment without its marks and without code in backticks. */
const textOf = (comment: string): string =>
  comment
    .replace(/^\s*\/\*+|\*\/$/g, '')
    .replace(/^[^/\n]*\/\/+ ?|^[ \t]*\* ?/gm, '')
    .replace(/`[^`]*`/g, '')
    .replace(/\s+/g, ' ')
    .trim();

/** The paragraphs and rows of a page, without code and without the targets of links. */
const paragraphsOf = (page: string): string[] =>
  page
    .replaceAll(/^[ \t]*```[\s\S]*?^[ \t]*```/gm, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/\n\s*\n|\n(?=\s*(?:[-*|]|\d+\.) ?)/)
    .map((text) => text.replace(/\s+/g, ' ').trim());

/** The string literals of a module that are sentences, without code in backticks. */
const sentencesOf = (source: string): string[] =>
  [...source.replaceAll(COMMENT, '').matchAll(LITERAL)]
    .map(([, single, double, template]) => (single ?? double ?? template ?? '').replace(/\\?`[^`]*`/g, ''))
    .filter((text) => text.includes(' '));

const inComments = (text: string): boolean => WORDS.test(text) || RIDDLE.test(text);
const inProse = (text: string): boolean => WORDS.test(text) || IN_PROSE.test(text);
const faultsOf = (file: string, texts: readonly string[], isFault: (text: string) => boolean): string[] =>
  texts.filter(isFault).map((text) => `${file}: ${text}`);

test('comments and test titles use the terms of the field instead of loose words', () => {
  const files = sourceFiles(FOLDERS).filter((file) => !EXCLUDED.test(file));
  const faults = files.flatMap((file) => {
    const source = readSource(file);
    const comments = [...source.matchAll(COMMENT)].map(([comment]) => textOf(comment));
    const titles = [...source.matchAll(TITLE)].map(
      ([, single, double, template]) => single ?? double ?? template ?? '',
    );
    return faultsOf(file, [...comments, ...titles], inComments);
  });
  expect(files.length).toBeGreaterThan(1_000);
  expect(faults).toEqual([]);
});

test('pages use the terms of the field instead of loose words', () => {
  const pages = [...PAGES, ...filesIn('docs').filter((file) => file.endsWith('.md'))];
  expect(pages.length).toBeGreaterThan(60);
  expect(pages.flatMap((file) => faultsOf(file, paragraphsOf(readSource(file)), inProse))).toEqual([]);
});

test('descriptions of the API use the terms of the field instead of loose words', () => {
  const files = sourceFiles(DESCRIBING);
  const texts = files.map((file) => ({ file, sentences: sentencesOf(readSource(file)) }));
  expect(texts.flatMap(({ sentences }) => sentences).length).toBeGreaterThan(1_500);
  expect(texts.flatMap(({ file, sentences }) => faultsOf(file, sentences, inProse))).toEqual([]);
});

test.each([
  ['/** What a run is told. */', true],
  ['/** What a run receives. */', true],
  ['// Looks into\n// the table anew.', true],
  ['/** Whether `told` is set, and the error is looked up. */', false],
])('of the comment %j the words are found: %s', (comment, isFault) => {
  expect(inComments(textOf(comment))).toBe(isFault);
});

test.each([
  ['What a run\nis told.', true],
  ['- A message leaves by\n  itself.', true],
  ['| a | goes on |', true],
  ['## What every operation may answer', false],
  ['```text\nnobody\n```\nSee [sends](sends.md#told) and `told`.', false],
])('of the page %j the words are found: %s', (page, isFault) => {
  expect(paragraphsOf(page).some(inProse)).toBe(isFault);
});

test.each([
  ["const a = { description: 'What became of each.' };", true],
  ['const a = `With \\`told\\` it ends, nothing else.`;', false],
  ["// 'goes on'\nconst a = 'told';", false],
])('of the module %j the words are found: %s', (source, isFault) => {
  expect(sentencesOf(source).some(inProse)).toBe(isFault);
});
