import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

const PROJECT = join(import.meta.dirname, '../..');
const SPEC = 'docs/spec';
const INDEX = `${SPEC}/README.md`;
const read = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');

const filesIn = (folder: string, ending: RegExp): string[] =>
  readdirSync(join(PROJECT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && ending.test(entry.name) && !entry.parentPath.includes('node_modules'))
    .map((entry) => relative(PROJECT, join(entry.parentPath, entry.name)));
const SOURCES = ['shared', 'functions', 'infra', 'test', 'bench'].flatMap((folder) => filesIn(folder, /\.ts$/));
const PAGES = filesIn('docs', /\.md$/);
const SPEC_PAGES = PAGES.filter((file) => file.startsWith(`${SPEC}/`)).sort();
const ROOT_PAGES = readdirSync(PROJECT).filter((file) => file.endsWith('.md'));

/** The headings of a page, outside of code. */
const headingsOf = (page: string, level: RegExp): string[] =>
  [...page.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(new RegExp(`^${level.source} +(.*?) *$`, 'gm'))].map(
    ([, heading = '']) => heading,
  );
/** GitHub's anchors of headings: lower case, without punctuation, with a number when repeated. */
const anchorsOf = (headings: readonly string[]): string[] => {
  const seen = new Map<string, number>();
  return headings.map((heading) => {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    const before = seen.get(slug) ?? 0;
    seen.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  });
};
const known = new Map<string, readonly string[]>();
const anchorsIn = (file: string): readonly string[] => {
  const anchors = known.get(file) ?? anchorsOf(headingsOf(read(file), /#{1,6}/));
  known.set(file, anchors);
  return anchors;
};
const exists = (file: string, anchor: string | undefined): boolean =>
  existsSync(join(PROJECT, file)) && (anchor === undefined || anchor === '' || anchorsIn(file).includes(anchor));

/** The line number (from 1) of an offset in a text. */
const lineAt = (text: string, place: number): number => text.slice(0, place).split('\n').length;

/** The links of a page, as the files and anchors that they lead to. */
const linksOf = (file: string): { readonly link: string; readonly target: string; readonly anchor?: string }[] =>
  [...read(file).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link = '']) => {
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : normalize(join(dirname(file), path));
    return { link, target, ...(anchor === undefined ? {} : { anchor }) };
  });

/** A line break within a comment, with the prefix of the next line. */
const CONTINUED = /\n[ \t]*(?:\*(?!\/)|\/\/)[ \t]?/g;
/** References to numbered pages and rules of documents that are not in the repository. */
const ELSEWHERE = new RegExp(
  [
    String.raw`\binterface(?:'s)?(?: own)?,? (?:\(?parts? )?\d`,
    String.raw`\binterface: the overview \(part \d`,
    String.raw`\binterface lists \(parts \d`,
    String.raw`\bdecisions,? (?:parts? )\d`,
    String.raw`\bfaults? \d`,
    String.raw`\breliability: [a-z]`,
  ].join('|'),
  'i',
);

describe('references to docs/spec', () => {
  test.each([...SOURCES, ...PAGES, ...ROOT_PAGES].filter((file) => read(file).includes(`${SPEC}/`)))(
    'of %s lead to an existing page and section',
    (file) => {
      const text = read(file);
      const cited = [...text.matchAll(/docs\/spec\/([\w-]+\.md)(?:#([\p{L}\p{M}\p{N}\p{Pc}-]+))?/gu)];
      const broken = cited.filter(([, page = '', anchor]) => !exists(`${SPEC}/${page}`, anchor));
      expect(broken.map((found) => `line ${lineAt(text, found.index)}: ${found[0]}`)).toEqual([]);
    },
  );

  test('in comments never cite documents that are not in the repository', () => {
    const citing = SOURCES.flatMap((file) =>
      read(file)
        .replaceAll(CONTINUED, ' ')
        .split('\n')
        .filter((line) => ELSEWHERE.test(line))
        .map((line) => `${file}: ${line.trim().slice(0, 160)}`),
    );
    expect(citing).toEqual([]);
  });
});

describe('the pages of docs/spec', () => {
  test.each(SPEC_PAGES)('%s has no broken links', (file) => {
    const broken = linksOf(file).filter(({ target, anchor }) => !exists(target, anchor));
    expect(broken.map(({ link }) => link)).toEqual([]);
  });

  test.each(SPEC_PAGES.filter((file) => file !== INDEX))(
    '%s is listed in the index with each of its sections',
    (file) => {
      const listed = linksOf(INDEX).filter(({ target }) => target === file);
      expect(listed.some(({ anchor }) => anchor === undefined)).toBe(true);
      const anchors = listed.flatMap(({ anchor }) => anchor ?? []);
      expect(anchors).toEqual(anchorsOf(headingsOf(read(file), /##/)));
    },
  );

  test.each(SPEC_PAGES)('%s has unique section names and no empty section', (file) => {
    const page = read(file);
    const headings = headingsOf(page, /##/);
    expect(new Set(headings).size).toBe(headings.length);
    const empty = page
      .split(/^## .*$/m)
      .slice(1)
      .filter((body) => body.trim() === '');
    expect(empty).toEqual([]);
  });
});
