import {
  type AttributeValue,
  canonical,
  entryOf,
  type IndexShape,
  type Item,
  partitionOf,
  pick,
  type TableShape,
} from './model.ts';

/**
 * Sizes and units, as in "DynamoDB read and write operations" and "DynamoDB item sizes and formats" of the developer guide
 * (read-write-operations.html, CapacityUnitCalculations.html).
 */

const WRITE_BYTES = 1024;
const READ_BYTES = 4096;
const CONTAINER_BYTES = 3;
const ELEMENT_BYTES = 1;

const bytes = (text: string): number => Buffer.byteLength(text, 'utf8');
/** A byte for two significant digits and one more; documented as "approximately", so large numbers may differ by a byte. */
const numberBytes = (text: string): number => {
  const digits = text
    .replace(/[eE].*$/, '')
    .replace(/[-+.]/g, '')
    .replace(/^0+|0+$/g, '').length;
  return Math.ceil(digits / 2) + 1 + (text.startsWith('-') ? 1 : 0);
};
const sum = <T>(values: readonly T[], of: (value: T) => number): number =>
  values.reduce((total, value) => total + of(value), 0);

const valueBytes = (value: AttributeValue): number => {
  if (value.S !== undefined) return bytes(value.S);
  if (value.N !== undefined) return numberBytes(value.N);
  if (value.B !== undefined) return Buffer.byteLength(value.B, 'base64');
  if (value.SS) return sum(value.SS, bytes);
  if (value.NS) return sum(value.NS, numberBytes);
  if (value.BS) return sum(value.BS, (text) => Buffer.byteLength(text, 'base64'));
  if (value.M) return CONTAINER_BYTES + itemBytes(value.M) + Object.keys(value.M).length * ELEMENT_BYTES;
  if (value.L) return CONTAINER_BYTES + sum(value.L, valueBytes) + value.L.length * ELEMENT_BYTES;
  return 1;
};

/** The size of an item in bytes: names and values; 0 for none. */
export const itemBytes = (item: Item | undefined): number =>
  item ? sum(Object.entries(item), ([name, value]) => bytes(name) + valueBytes(value)) : 0;

const units = (size: number, of: number): number => Math.max(1, Math.ceil(size / of));

/** Write units of an item: the larger of before and after, in KB rounded up; 1 for an item that does not exist. */
export const writeUnits = (before: Item | undefined, after: Item | undefined): number =>
  units(Math.max(itemBytes(before), itemBytes(after)), WRITE_BYTES);

/** Read units of that many bytes, 4 KB each: half when eventually consistent, double in a transaction. */
export const readUnits = (size: number, how: 'eventual' | 'consistent' | 'transaction'): number =>
  units(size, READ_BYTES) * { eventual: 0.5, consistent: 1, transaction: 2 }[how];

/** Units that a request takes of one partition key of the table (`live`) or of an index (`live/gsi1`). */
export interface Demand {
  readonly resource: string;
  readonly partition: string;
  readonly kind: 'read' | 'write';
  readonly units: number;
}

/** The name of an index in demands and statistics. */
export const resourceOf = (table: string, index?: string): string => (index ? `${table}/${index}` : table);

const indexDemands = (
  shape: TableShape,
  index: IndexShape,
  before: Item | undefined,
  after: Item | undefined,
): Demand[] => {
  const [old, next] = [entryOf(shape, index, before), entryOf(shape, index, after)];
  const demand = (entry: Item, units: number): Demand => ({
    resource: resourceOf(shape.name, index.name),
    partition: partitionOf(index.keys, entry),
    kind: 'write',
    units,
  });
  if (!old) return next ? [demand(next, writeUnits(undefined, next))] : [];
  if (!next) return [demand(old, writeUnits(old, undefined))];
  if (canonical(old) === canonical(next)) return [];
  if (canonical(pick(old, index.keys)) === canonical(pick(next, index.keys)))
    return [demand(next, writeUnits(old, next))];
  return [demand(old, writeUnits(old, undefined)), demand(next, writeUnits(undefined, next))];
};

/** The partition keys whose units a write takes: the item's first, then those of its index entries. */
export interface WriteDemands {
  readonly base: Demand;
  readonly indexes: readonly Demand[];
}

/**
 * The units of one write. An index takes none when the entry stays as it is, one write when it appears, disappears or changes, two when
 * its key changes (GSI.html, "Provisioned throughput considerations for global secondary indexes", write capacity units). A transaction
 * doubles the item's, one to prepare and one to commit (transaction-apis.html, "Capacity management"). Guessed: the index entries of a
 * transaction are written once, after its commit.
 */
export const writeDemands = (
  shape: TableShape,
  change: { readonly key: Item; readonly before: Item | undefined; readonly after: Item | undefined },
  transactional: boolean,
): WriteDemands => ({
  base: {
    resource: shape.name,
    partition: partitionOf(shape.keys, change.key),
    kind: 'write',
    units: writeUnits(change.before, change.after) * (transactional ? 2 : 1),
  },
  indexes: shape.indexes.flatMap((index) => indexDemands(shape, index, change.before, change.after)),
});
