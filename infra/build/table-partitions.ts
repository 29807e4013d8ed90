import { join, relative } from 'node:path';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { compileForReading } from './compile.ts';
import { entryName, reachableFiles } from './layout.ts';
import { listFunctions } from './sources.ts';

/**
 * Partition keys of the table by the functions that can build them, as patterns of `dynamodb:LeadingKeys` (`MSG#*` of `MSG#{id}`). Functions
 * by their paths under `functions/`.
 */
export type TablePartitions = ReadonlyMap<string, readonly string[]>;

type KeyName = keyof typeof KEYS;
const isKeyName = (name: string): name is KeyName => Object.hasOwn(KEYS, name);

/** The partition keys of an entry of the key table, as a pattern. */
export const partitionPattern = ({ pk }: { readonly pk: string }): string =>
  pk.includes('#') ? `${pk.slice(0, pk.indexOf('#') + 1)}*` : pk;

const patternOf = (name: KeyName): string =>
  // Only the text before the first argument is read, so any argument will do.
  partitionPattern((KEYS[name] as (...parts: string[]) => { pk: string })('', '', '', ''));

/** The entries of the key table that a text names. The compiler appends a number where a name is taken. */
const keyNames = (text: string): KeyName[] =>
  [...text.matchAll(/\bKEYS\d*\.(\w+)/g)].flatMap(([, name = '']) => (isKeyName(name) ? [name] : []));

/**
 * The partitions that each function can write: those of the key table's entries that remain in the function's compiled code with all its
 * imports. Only the key table builds keys (test/quality/boundaries.test.ts), so a function can write no others.
 */
export const tablePartitions = async (root: string): Promise<TablePartitions> => {
  const folder = join(root, 'functions');
  const paths = listFunctions(folder);
  const entryPoints = Object.fromEntries(paths.map((path) => [entryName(path), join(folder, `${path}.ts`)]));
  const { outputs, texts } = await compileForReading({ entryPoints, root });
  const named = new Map([...texts].map(([file, text]) => [relative(root, file), keyNames(text)]));
  const entryOf = new Map(
    Object.entries(outputs).flatMap(([file, { entryPoint }]) => (entryPoint ? [[entryPoint, file]] : [])),
  );
  return new Map(
    paths.map((path) => {
      const entry = entryOf.get(`functions/${path}.ts`);
      if (entry === undefined) throw new Error(`The function ${path} was not compiled.`);
      const files = [...reachableFiles(outputs, entry, true)];
      return [path, [...new Set(files.flatMap((file) => named.get(file) ?? []).map(patternOf))].sort()];
    }),
  );
};
