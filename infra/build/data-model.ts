import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KEYS } from '../../shared/storage/access-patterns.ts';
import { AUTOMATION_KEYS } from '../../shared/storage/automation-patterns.ts';
import { INDEX_KEYS } from '../../shared/storage/index-patterns.ts';
import { SALES_KEYS } from '../../shared/storage/sales-patterns.ts';
import { INDEXES, TABLE } from '../../shared/storage/table-indexes.ts';

/** One entry of the key table: its name, the sentence of its doc comment, and the shapes of its keys. */
export interface Pattern {
  readonly name: string;
  readonly sentence: string;
  readonly keys: readonly (readonly [attribute: string, shape: string])[];
}

/** The text between `export const NAME = {` and its end. */
const blockOf = (source: string, name: string): string => {
  const block = new RegExp(`export const ${name} = \\{\\n([\\s\\S]*?)\\n\\} as const;`).exec(source)?.[1];
  if (block === undefined) throw new Error(`The key table does not declare ${name}.`);
  return block;
};

/**
 * An interpolated part of a key, in words: `digest(x)` is `hash of x`, `shardOf(x, …)` is `shard of x`, `numbered(x, n)` is `x, with #n from 1`.
 */
const part = (code: string): string => {
  const [, text, number] = /^numbered\((.+),\s*(\w+)\)$/.exec(code.trim()) ?? [];
  if (text) return `${part(text)}, with #${number} from 1`;
  const [, made, of] = /^(digest|shardOf)\((\w+)/.exec(code.trim()) ?? [];
  if (made) return made === 'digest' ? `hash of ${of}` : `shard of ${of}`;
  return code.trim();
};

/** The shape of a key expression: `\`MSG#${id}\`` is `MSG#{id}`. */
const shapeOf = (code: string): string => {
  if (code.startsWith('`'))
    return code.slice(1, -1).replaceAll(/\$\{((?:[^{}]|\{[^}]*\})*)\}/g, (_, inner: string) => `{${part(inner)}}`);
  return code.startsWith("'") ? code.slice(1, -1) : `{${part(code)}}`;
};

const VALUE = "(`[^`]*`|'[^']*'|\\w+)";
const KEY_CALL = new RegExp(`^key\\(\\s*${VALUE},\\s*${VALUE}`);
const NEWEST_CALL = /^newestIn\('(gsi\d)',\s*(`[^`]*`|'[^']*'),\s*(\w+),\s*(\w+)/;
const ENTRY = new RegExp(`(\\w+):\\s*${VALUE}\\s*(?=[,}])`, 'g');

const keysOf = (body: string): Pattern['keys'] => {
  const call = KEY_CALL.exec(body.trim());
  if (call)
    return [
      [TABLE.partitionKey, shapeOf(call[1] ?? '')],
      [TABLE.sortKey, shapeOf(call[2] ?? '')],
    ];
  const [, index, partition, createdAt, id] = NEWEST_CALL.exec(body.trim()) ?? [];
  if (index)
    return [
      [`${index}pk`, shapeOf(partition ?? '')],
      [`${index}sk`, `{${createdAt}}#{${id}}`],
    ];
  return [...body.matchAll(ENTRY)].map(([, attribute = '', value = '']) => [attribute, shapeOf(value)] as const);
};

const FUNCTION = /\/\*\*\s*([\s\S]*?)\s*\*\/\s*(\w+):\s*\(([^)]*)\)\s*=>\s*([\s\S]*?)(?=,\s*(?:\/\*\*|$))/g;
const sentence = (comment: string): string => comment.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim();

const patternsIn = (source: string, block: string, names: readonly string[]): Pattern[] => {
  const patterns = [...blockOf(source, block).matchAll(FUNCTION)].map(([, comment = '', name = '', , body = '']) => ({
    name,
    sentence: sentence(comment),
    keys: keysOf(body),
  }));
  const missed = names.filter(
    (name) => !patterns.some((pattern) => pattern.name === name && pattern.keys.length === 2),
  );
  if (missed.length > 0) throw new Error(`These entries of ${block} could not be read: ${missed.join(', ')}.`);
  return patterns;
};

const INDEX = /\/\*\*\s*([\s\S]*?)\s*\*\/\s*(\w+):\s*\{/g;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
const code = (text: string): string => `\`${text}\``;
const shapes = ({ keys }: Pattern): string[] => keys.map(([, shape]) => code(shape));

/** The files that the document is printed from. */
const SOURCES = ['access-patterns', 'automation-patterns', 'sales-patterns', 'index-patterns', 'table-indexes'].map(
  (name) => `shared/storage/${name}.ts`,
);
/** Their text. */
export const dataModelSource = (root: string): string =>
  SOURCES.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');

/** The text of `docs/data-model.md`, from the source text of the key table. */
export const dataModel = (source: string): string => {
  const parts = { AUTOMATION_KEYS, SALES_KEYS };
  const others = Object.keys(KEYS).filter((name) => !Object.values(parts).some((keys) => name in keys));
  const rows = [
    ...patternsIn(source, 'KEYS', others),
    ...Object.entries(parts).flatMap(([block, keys]) => patternsIn(source, block, Object.keys(keys))),
  ];
  const indexEntries = patternsIn(source, 'INDEX_KEYS', Object.keys(INDEX_KEYS));
  const purposes = new Map(
    [...blockOf(source, 'INDEXES').matchAll(INDEX)].map(([, comment = '', name = '']) => [name, sentence(comment)]),
  );
  const indexOf = ({ keys }: Pattern): string =>
    Object.entries(INDEXES).find(([, index]) => index.partitionKey === keys[0]?.[0])?.[0] ?? '';
  return `# Data model

One table per stage. Printed from the key table in \`shared/storage/access-patterns.ts\`, \`automation-patterns.ts\` and \`sales-patterns.ts\`: change it there, then run
\`node infra/build/write-data-model.ts\`.

The partition key is \`${TABLE.partitionKey}\`, the sort key \`${TABLE.sortKey}\`; \`${TABLE.timeToLive}\` is the time (Unix seconds) from which DynamoDB may delete a row.
There are no scans: every row is read by its key, or through an entry of an index. The exceptions are the operator's migration of all rows ([operating](operating.md#rows-of-an-older-shape)), and the beginning of an [archive](archive.md).
A row without the attribute \`shape\` has the first version of its shape.

## Rows

${table(
  ['Row', 'What it is', code(TABLE.partitionKey), code(TABLE.sortKey)],
  rows.map((row) => [row.name, row.sentence, ...shapes(row)]),
)}

## Indexes

${table(
  ['Index', 'What it is for', 'Keys', 'Carries'],
  Object.entries(INDEXES).map(([name, { partitionKey, sortKey, attributes }]) => [
    name,
    purposes.get(name) ?? '',
    `${code(partitionKey)}, ${code(sortKey)}`,
    attributes.length > 0 ? attributes.map(code).join(', ') : 'keys only',
  ]),
)}

## Index entries

${table(
  ['Entry', 'What it finds', 'Index', 'Partition', 'Sorted by'],
  indexEntries.map((entry) => [entry.name, entry.sentence, indexOf(entry), ...shapes(entry)]),
)}
`;
};
