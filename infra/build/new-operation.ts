import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { namesOf, type OperationNames } from './operation-names.ts';
import { operationFiles } from './operation-templates.ts';

/**
 * `npm run new:operation sms.send`: writes contract, rule, handler and test of a new operation, its example event, and adds it to the index
 * and to the document. The result compiles and passes the tests, as a starting point.
 */
const root = join(import.meta.dirname, '../..');
const at = (path: string): string => join(root, path);
const read = (path: string): string => readFileSync(at(path), 'utf8');

const written = new Set<string>();
const write = (path: string, text: string): void => {
  written.add(path);
  mkdirSync(dirname(at(path)), { recursive: true });
  writeFileSync(at(path), text);
  console.log(`  ${path}`);
};

const run = (...args: string[]): void =>
  void execFileSync(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });

/**
 * The folder of the domain where an area's rules are: the one of its name, on whatever floor; else the one that its handlers import
 * most from; else a new one of its name.
 */
const ruleFolderOf = ({ area }: OperationNames): string => {
  const named = globSync(`**/${area}/`, { cwd: at('shared/domain') })[0];
  if (named) return named.replaceAll('\\', '/').replace(/\/$/, '');
  const handlers = globSync(`functions/${area}/*.ts`, { cwd: root }).map(read).join('\n');
  const folders = [...handlers.matchAll(/shared\/domain\/(.+)\/[\w-]+\.ts'/g)].map(([, folder = '']) => folder);
  const uses = Map.groupBy(folders, (folder) => folder);
  uses.delete('core');
  return [...uses].sort(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? area;
};

const camel = (area: string): string => area.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Puts a line after the last one that a pattern matches. Says where a person must do it when the file has changed its form. */
const insertAfterLast = (path: string, pattern: RegExp, line: string): void => {
  const text = read(path);
  const last = [...text.matchAll(pattern)].at(-1);
  if (last?.index === undefined) throw new Error(`Add by hand to ${path}: ${line.trim()}`);
  const end = last.index + last[0].length;
  write(path, text.slice(0, end) + line + text.slice(end));
};

const addToIndex = ({ area }: OperationNames): void => {
  const path = 'shared/contracts/index.ts';
  insertAfterLast(path, /^import \* as \w+ from '[^']+';\n/gm, `import * as ${camel(area)} from './${area}.ts';\n`);
  insertAfterLast(path, /const AREAS[^=]*= \[/g, `\n  ${camel(area)},`);
};

const describeTag = ({ tag }: OperationNames): void => {
  const path = 'shared/openapi/information.ts';
  const key = /^\w+$/.test(tag) ? tag : `'${tag}'`;
  if (new RegExp(`^  ${key}:`, 'm').test(read(path))) return;
  insertAfterLast(path, /export const TAGS[^=]*= \{\n/g, `  ${key}: 'Describe the tag ${tag} in one line.',\n`);
};

const writeContract = (names: OperationNames, ruleFolder: string): OperationNames => {
  const path = `shared/contracts/${names.area}.ts`;
  if (!existsSync(at(path))) {
    const { contract } = operationFiles(names, ruleFolder);
    write(path, contract.head + contract.text);
    addToIndex(names);
    return names;
  }
  const existing = read(path);
  if (new RegExp(`^export const (?:${names.variable}|${names.schema})\\b|id: '${names.id}'`, 'm').test(existing))
    throw new Error(`${path} declares ${names.id} already.`);
  const placed = { ...names, tag: /^ {2}tag: '([^']+)'/m.exec(existing)?.[1] ?? names.tag };
  write(path, existing + operationFiles(placed, ruleFolder).contract.text);
  return placed;
};

const create = (id: string): void => {
  const names = namesOf(id);
  const ruleFolder = ruleFolderOf(names);
  const isNewFolder = !existsSync(at(`shared/domain/${ruleFolder}`));
  const { others } = operationFiles(names, ruleFolder);
  const taken = [...others.keys()].filter((path) => existsSync(at(path)));
  if (taken.length > 0) throw new Error(`${taken.join(', ')} exists already.`);
  describeTag(writeContract(names, ruleFolder));
  for (const [path, text] of others) write(path, text);
  run(at('node_modules/@biomejs/biome/bin/biome'), 'check', '--write', ...written);
  // One process, which reads the contracts once: the document shows the examples.
  run('--import', pathToFileURL(at('infra/build/write-examples.ts')).href, at('shared/openapi/write.ts'));
  console.log(`  events/requests/${id}.json\n  openapi.json`);
  if (isNewFolder) console.log(`Add shared/domain/${ruleFolder} to a floor in .dependency-cruiser.cjs.`);
};

const id = process.argv[2];
try {
  if (!id) throw new Error('Name the operation: npm run new:operation sms.send');
  create(id);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
