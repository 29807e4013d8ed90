import { createHash } from 'node:crypto';
import { CONTACT_SOURCES, OPT_IN_STATUSES } from '../contacts/contact.ts';
import type { ContactAttributes } from '../core/json-values.ts';
import { BLOCK_SIZE } from './block.ts';
import type { ContactDigest, IndexedContact } from './digest.ts';

/* The columns of a block: each holds one kind of fact about its contacts, so that a filter reads only what it needs. */

type AttributeValue = ContactAttributes[string];
/** The offsets of the contacts with a value, in ascending order. */
export type Holders = readonly (readonly [value: AttributeValue, offsets: readonly number[]])[];

/** Number of columns that share a block's attributes, by key. */
const ATTRIBUTE_COLUMNS = 16;
/** Number of columns that share the search trigrams. */
const GRAM_COLUMNS = 64;
export type ColumnName =
  | 'base'
  | 'emails'
  | 'interactions'
  | 'updates'
  | 'tags'
  | `attributes${number}`
  | `grams${number}`;
/** The column with the values of an attribute. */
export const attributeColumn = (key: string): ColumnName =>
  `attributes${(createHash('sha256').update(key).digest()[0] ?? 0) % ATTRIBUTE_COLUMNS}`;
/** The column of a trigram, by its blind index. */
export const gramColumn = (gram: number): ColumnName => `grams${gram % GRAM_COLUMNS}`;
export const COLUMN_NAMES: readonly ColumnName[] = [
  'base',
  'emails',
  'interactions',
  'updates',
  'tags',
  ...Array.from({ length: ATTRIBUTE_COLUMNS }, (_, at): ColumnName => `attributes${at}`),
  ...Array.from({ length: GRAM_COLUMNS }, (_, at): ColumnName => `grams${at}`),
];

/** Attributes that take more bytes as JSON are not in the columns: such a contact is read from its own row. This bounds a block's size. */
const MAX_INDEXED_BYTES = 768;
const isIndexed = ({ attributes, tags }: ContactDigest): boolean =>
  Buffer.byteLength(JSON.stringify(attributes)) + Buffer.byteLength(JSON.stringify(tags)) <= MAX_INDEXED_BYTES;

/** Bits of the base column, which has a byte per contact. */
const PRESENT = 1;
const HAS_EMAIL = 2;
const UNINDEXED = 4;
export const baseByte = (contact: ContactDigest): number =>
  PRESENT |
  (contact.hasEmail ? HAS_EMAIL : 0) |
  (isIndexed(contact) ? 0 : UNINDEXED) |
  (OPT_IN_STATUSES.indexOf(contact.optIn) << 3) |
  (CONTACT_SOURCES.indexOf(contact.source) << 5);
export const readBase = (byte: number) => ({
  present: (byte & PRESENT) !== 0,
  hasEmail: (byte & HAS_EMAIL) !== 0,
  unindexed: (byte & UNINDEXED) !== 0,
  optIn: OPT_IN_STATUSES[(byte >>> 3) & 3],
  source: CONTACT_SOURCES[(byte >>> 5) & 3],
});

/** A column in memory: bytes, numbers (times in ms, addresses; 0 for none), or values by attribute (tags and trigrams: by `''`) and their holders. */
export type Column =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'times'; readonly times: Float64Array }
  | { readonly kind: 'values'; readonly values: ReadonlyMap<string, Holders> };

const KIND: Readonly<Partial<Record<ColumnName, Column['kind']>>> = {
  base: 'bytes',
  emails: 'times',
  interactions: 'times',
  updates: 'times',
};
export const kindOf = (name: ColumnName): Column['kind'] => KIND[name] ?? 'values';

/** A column without any facts. */
export const emptyColumn = (name: ColumnName): Column => {
  const kind = kindOf(name);
  if (kind === 'bytes') return { kind, bytes: new Uint8Array(BLOCK_SIZE) };
  return kind === 'times' ? { kind, times: new Float64Array(BLOCK_SIZE) } : { kind, values: new Map() };
};

/** The facts of a column about one contact, as text: equal texts mean equal facts. */
type Facts = readonly (readonly [key: string, value: AttributeValue])[];
const factsOf = (name: ColumnName, contact: IndexedContact | undefined): Facts => {
  if (!contact) return [];
  if (name.startsWith('grams'))
    return contact.grams.filter((gram) => gramColumn(gram) === name).map((gram) => ['', gram] as const);
  if (!isIndexed(contact)) return [];
  if (name === 'tags') return contact.tags.map((tag) => ['', tag] as const);
  return Object.entries(contact.attributes).filter(([key]) => attributeColumn(key) === name);
};

/** The digests of changed contacts by offset; undefined: the contact no longer exists. */
export type Changes = ReadonlyMap<number, IndexedContact | undefined>;

const changedValues = (
  name: ColumnName,
  column: ReadonlyMap<string, Holders>,
  changes: Changes,
): Map<string, Holders> => {
  const holders = new Map<string, Map<string, { value: AttributeValue; offsets: number[] }>>();
  const add = (key: string, value: AttributeValue, offset: number) => {
    const text = JSON.stringify(value);
    const ofKey = holders.get(key) ?? new Map<string, { value: AttributeValue; offsets: number[] }>();
    const held = ofKey.get(text) ?? { value, offsets: [] };
    held.offsets.push(offset);
    holders.set(key, ofKey.set(text, held));
  };
  for (const [key, values] of column)
    for (const [value, offsets] of values) for (const at of offsets) if (!changes.has(at)) add(key, value, at);
  for (const [at, contact] of changes) for (const [key, value] of factsOf(name, contact)) add(key, value, at);
  return new Map(
    [...holders].map(([key, values]) => [
      key,
      [...values.values()].map(({ value, offsets }) => [value, offsets.sort((a, b) => a - b)] as const),
    ]),
  );
};

/** The number that a numeric column holds for a contact. */
const numberIn = (name: ColumnName, { emailNumber, updatedAt, lastInteractionAt }: IndexedContact) => {
  if (name === 'emails') return emailNumber;
  return name === 'updates' ? updatedAt : lastInteractionAt;
};

/** A column after changes of some contacts. */
export const changedColumn = (name: ColumnName, column: Column, changes: Changes): Column => {
  if (column.kind === 'values') return { kind: 'values', values: changedValues(name, column.values, changes) };
  if (column.kind === 'bytes') {
    const bytes = column.bytes.slice();
    for (const [at, contact] of changes) bytes[at] = contact ? baseByte(contact) : 0;
    return { kind: 'bytes', bytes };
  }
  const times = column.times.slice();
  for (const [at, contact] of changes) times[at] = (contact && numberIn(name, contact)) ?? 0;
  return { kind: 'times', times };
};
