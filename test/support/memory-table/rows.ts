import { compareValues } from '../../../infra/local/table-laws/conditions.ts';
import type { AttributeValue, Item } from '../../../infra/local/table-laws/model.ts';
import { INDEXES, TABLE } from '../../../shared/storage/table-indexes.ts';

/** The names by which rows of a partition are sorted: the sort key's, then those that break ties. */
type Order = readonly string[];

const compare = (order: Order, one: Item, other: Item): number => {
  for (const name of order) {
    const found = compareValues(one[name] as AttributeValue, other[name] as AttributeValue) ?? 0;
    if (found !== 0) return found;
  }
  return 0;
};

/** The place of the first row behind a bound, in rows that are sorted by it. */
export const firstBehind = <T>(rows: readonly T[], isBehind: (row: T) => boolean): number => {
  let [from, to] = [0, rows.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBehind(rows[middle] as T)) to = middle;
    else from = middle + 1;
  }
  return from;
};

/** Rows by partition, in the order of their sort key: those of the table, or of an index. */
export class SortedRows {
  readonly #partitions = new Map<string, Item[]>();
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly order: Order;
  /** Attributes that its rows show; undefined for all. */
  readonly shown: ReadonlySet<string> | undefined;

  constructor(keys: { partitionKey: string; sortKey: string }, shown?: readonly string[]) {
    this.partitionKey = keys.partitionKey;
    this.sortKey = keys.sortKey;
    this.order = [...new Set([keys.sortKey, TABLE.partitionKey, TABLE.sortKey])];
    this.shown = shown && new Set([keys.partitionKey, ...this.order, ...shown]);
  }

  /** Whether it has a row of an item: an index has none where one of its keys is missing. */
  has(item: Item | undefined): item is Item {
    return item?.[this.partitionKey] !== undefined && item[this.sortKey] !== undefined;
  }

  partition(value: string): readonly Item[] {
    return this.#partitions.get(value) ?? [];
  }
  partitions(): readonly string[] {
    return [...this.#partitions.keys()];
  }

  compare(one: Item, other: Item): number {
    return compare(this.order, one, other);
  }

  /** Whether two items have the same place here. */
  areAlike(one: Item, other: Item | undefined): boolean {
    return this.has(other) && this.#nameOf(one) === this.#nameOf(other) && this.compare(one, other) === 0;
  }

  #place(rows: readonly Item[], item: Item) {
    const at = firstBehind(rows, (row) => this.compare(row, item) >= 0);
    const found = rows[at];
    return { at, isThere: found !== undefined && this.compare(found, item) === 0 };
  }

  get(key: Item): Item | undefined {
    const rows = this.#partitions.get(this.#nameOf(key));
    if (!rows) return undefined;
    const { at, isThere } = this.#place(rows, key);
    return isThere ? rows[at] : undefined;
  }

  put(item: Item): void {
    const name = this.#nameOf(item);
    const rows = this.#partitions.get(name);
    if (!rows) return void this.#partitions.set(name, [item]);
    const { at, isThere } = this.#place(rows, item);
    rows.splice(at, isThere ? 1 : 0, item);
  }

  delete(item: Item): void {
    const name = this.#nameOf(item);
    const rows = this.#partitions.get(name) ?? [];
    const { at, isThere } = this.#place(rows, item);
    if (isThere) rows.splice(at, 1);
    if (rows.length === 0) this.#partitions.delete(name);
  }

  #nameOf(item: Item): string {
    return item[this.partitionKey]?.S ?? '';
  }
}

/** A row before and after it was written. */
export interface Change {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
}

/** A table's rows with those of its indexes, which are never late. */
export class TableRows {
  /** All changes since its stream was enabled; undefined without one. */
  changes: Change[] | undefined;
  readonly base = new SortedRows(TABLE);
  readonly indexes: ReadonlyMap<string, SortedRows> = new Map(
    Object.entries(INDEXES).map(([name, index]) => [name, new SortedRows(index, index.attributes)]),
  );

  /** Every row of the table, partition by partition. */
  *all(): Generator<Item> {
    for (const name of this.base.partitions()) yield* this.base.partition(name);
  }

  /** Has an item take the place of the one with its key; without one, that is deleted. */
  replace(before: Item | undefined, after: Item | undefined): void {
    if (before !== after) this.changes?.push({ before, after });
    for (const rows of [this.base, ...this.indexes.values()]) {
      if (rows.has(before) && !rows.areAlike(before, after)) rows.delete(before);
      if (rows.has(after)) rows.put(after);
    }
  }
}
