/** An attribute's value as DynamoDB's JSON writes it; binary is base64. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly M?: Readonly<Record<string, AttributeValue>>;
  readonly L?: readonly AttributeValue[];
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly string[];
}
export type Item = Readonly<Record<string, AttributeValue>>;

/** The key attributes: the partition key, then the sort key if there is one. */
export type KeyNames = readonly string[];

export interface IndexShape {
  readonly name: string;
  readonly keys: KeyNames;
  /** Projected besides the keys; undefined for all. */
  readonly attributes: readonly string[] | undefined;
}
export interface TableShape {
  readonly name: string;
  readonly keys: KeyNames;
  readonly indexes: readonly IndexShape[];
}

/** Time in ms; tests move it by hand. */
export interface Clock {
  now(): number;
  wait(ms: number): Promise<void>;
}

export const WALL_CLOCK: Clock = {
  now: () => performance.now(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

/** Draws from [0, 1): the same row of draws for the same seed and name, whatever other rows were drawn from. */
export const draws = (seed: number, name: string): (() => number) => {
  let state = seed;
  for (const letter of name) state = Math.imul(state ^ letter.charCodeAt(0), 0x9e3779b1);
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** A value as text that is equal for equal values: objects with sorted names. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );

/** The attributes of these names that the item has. */
export const pick = (item: Item, names: readonly string[]): Item => {
  const picked: Record<string, AttributeValue> = {};
  for (const name of names) {
    const value = item[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
};

/** The item's identity among all tables: table and key. */
export const itemId = (shape: TableShape, item: Item): string => canonical([shape.name, pick(item, shape.keys)]);

/** The value of the partition key, as text. */
export const partitionOf = (keys: KeyNames, item: Item): string => {
  const value = item[keys[0] ?? ''];
  return value?.S ?? value?.N ?? value?.B ?? '';
};

/** The item's entry in an index: undefined where a key attribute is missing, since indexes are sparse. */
export const entryOf = (shape: TableShape, index: IndexShape, item: Item | undefined): Item | undefined => {
  if (!item || index.keys.some((name) => item[name] === undefined)) return undefined;
  return index.attributes ? pick(item, [...shape.keys, ...index.keys, ...index.attributes]) : item;
};
