import * as z from 'zod';

/** The part of a schema's definition that describes its children. */
interface Definition {
  readonly type: string;
  readonly innerType?: z.ZodType;
  readonly in?: z.ZodType;
  readonly getter?: () => z.ZodType;
  readonly shape?: Readonly<Record<string, z.ZodType>>;
  readonly element?: z.ZodType;
  readonly options?: readonly z.ZodType[];
  readonly keyType?: z.ZodType;
  readonly valueType?: z.ZodType;
  readonly left?: z.ZodType;
}
/** The limits of a value in its JSON schema, and its example. */
interface Limits {
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly example?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Bytes that a body may have: Lambda's limit of a payload less what its envelope takes. */
export const MAX_BODY_BYTES = 5_500_000;
/** Characters of a text that no length limits. */
const UNLIMITED = [300_000, 60_000, 4_000];
/** Entries of a record or a list, where the contract names no number or a rule of its own limits them. */
const COUNTS = [5_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1];
/** Levels of JSON that is free; the whole body has at most 64. */
const LEVELS = 48;
/** Schemas in a schema: one that contains itself ends here. */
const MAX_DEPTH = 9;

const definitionOf = (schema: z.ZodType) => schema.def as unknown as Definition;
const described = new WeakMap<z.ZodType, Limits>();
/** Each schema is described once: its values are generated again for every body that it is part of. */
const limitsOf = (schema: z.ZodType): Limits => {
  const known = described.get(schema);
  if (known) return known;
  const limits = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Limits;
  described.set(schema, limits);
  return limits;
};

const measured = new WeakMap<object, number>();
/** The bytes of a value as JSON; undefined has none. Shared parts are measured once: each body is derived from the one before it. */
export const bytesOf = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return Buffer.byteLength(JSON.stringify(value) ?? '');
  const known = measured.get(value);
  if (known !== undefined) return known;
  const parts = Array.isArray(value)
    ? value.map((each) => bytesOf(each ?? null))
    : Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [bytesOf(name) + 1 + bytesOf(each)]));
  const bytes = parts.reduce((sum, part) => sum + part, 1 + Math.max(parts.length, 1));
  measured.set(value, bytes);
  return bytes;
};
const isValid = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const first = (count: number, values: Iterable<unknown>): unknown[] => {
  const taken: unknown[] = [];
  for (const value of values) if (taken.push(value) === count) break;
  return taken;
};

const filled = (fill: string, length: number): string => fill.repeat(Math.max(0, Math.floor(length / fill.length)));

/** Texts of a schema, the largest first; ASCII where its pattern takes no other, and numbers of digits. */
const texts = function* ({ maxLength, example, pattern }: Limits, fill: string): Generator {
  const inPattern = [...(pattern ?? '').matchAll(/[{,](\d+)\}/g)].map(([, most]) => Number(most));
  const lengths =
    maxLength !== undefined ? [maxLength] : inPattern.length > 0 ? inPattern.toSorted((a, b) => b - a) : UNLIMITED;
  for (const length of lengths) for (const one of [fill, 'a', '1']) yield filled(one, length);
  if (typeof example === 'string') for (const length of lengths) yield example + filled('a', length - example.length);
  yield example;
};

/** Free JSON: deep, and as large as a body. */
const anyJson = function* (fill: string, example: unknown): Generator {
  const deep = (inner: unknown) => Array.from({ length: LEVELS }).reduce<unknown>((value) => ({ a: value }), inner);
  for (const length of [1_500_000, ...UNLIMITED, 100]) {
    yield deep(filled(fill, length));
    yield { a: filled(fill, length) };
    yield filled(fill, length);
  }
  yield example;
};

/** The nth of values that must differ: its last text's end is its number. */
const numbered = (value: unknown, nth: number): unknown => {
  if (typeof value === 'string') {
    const end = String(nth);
    return value.length > end.length
      ? value.slice(0, value.length - end.length).replace(/[\uD800-\uDBFF]$/, 'a') + end
      : value;
  }
  if (Array.isArray(value) || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, numbered(inner, nth)]));
};

const lists = function* (schema: z.ZodType, element: z.ZodType, fill: string, depth: number): Generator {
  const { maxItems, example } = limitsOf(schema);
  const choices = limitsOf(element).enum;
  if (choices) yield choices;
  const [item] = candidates(element, fill, depth + 1);
  const bytes = bytesOf(item);
  const counts = [
    ...(maxItems === undefined ? [] : [maxItems]),
    ...COUNTS.filter((count) => count < (maxItems ?? 1e9)),
  ].filter((count) => bytes * count <= MAX_BODY_BYTES);
  for (const count of counts) yield Array.from({ length: count }, (_, nth) => numbered(item, nth + 1));
  for (const count of counts) yield Array(count).fill(item);
  yield example;
};

const records = function* (
  schema: z.ZodType,
  { keyType, valueType }: Definition,
  fill: string,
  depth: number,
): Generator {
  const [key] = keyType ? candidates(keyType, fill, depth + 1) : ['a'.repeat(64)];
  const [value] = valueType ? candidates(valueType, fill, depth + 1) : ['a'];
  const name = String(key).slice(0, 64);
  const bytes = bytesOf([name, value]);
  const counts = COUNTS.filter((count) => bytes * count <= MAX_BODY_BYTES);
  for (const long of [name, 'aaaaaaa'])
    for (const count of counts)
      yield Object.fromEntries(Array.from({ length: count }, (_, nth) => [numbered(long, nth + 1), value]));
  yield limitsOf(schema).example;
};

/** Fields that say who or what is meant: another value of theirs is refused before anything of the body is used. */
const IDENTITIES =
  /^(to|phone|cpf|cnpj|type|channel|template|route|url|status|companyId|externalId|headerExampleUrl|\w+Id)$/;

/** An object with every field that its rules let stand beside the others, each as large as they let it be. */
const grown = (schema: z.ZodType, start: object, fill: string, depth: number): object => {
  let body: Record<string, unknown> = { ...start };
  for (const [name, field] of Object.entries(definitionOf(schema).shape ?? {})) {
    if (IDENTITIES.test(name)) continue;
    for (const value of candidates(field, fill, depth + 1)) {
      const next = { ...body, [name]: value };
      if (bytesOf(next) > MAX_BODY_BYTES || !isValid(schema, next)) continue;
      body = next;
      break;
    }
  }
  return body;
};

const objects = function* (schema: z.ZodType, fill: string, depth: number): Generator {
  const { example } = limitsOf(schema);
  const shape = Object.entries(definitionOf(schema).shape ?? {});
  const required = shape
    .filter(([, field]) => !isValid(field, undefined))
    .map(([name, field]) => [name, limitsOf(field).example ?? candidates(field, fill, depth + 1).next().value]);
  yield grown(schema, Object.fromEntries(required), fill, depth);
  if (typeof example === 'object' && example) yield grown(schema, example, fill, depth);
};

const unchecked = (schema: z.ZodType, fill: string, depth: number): Iterable<unknown> => {
  const definition = definitionOf(schema);
  const inner = definition.innerType ?? definition.in ?? definition.left ?? definition.getter?.();
  if (inner) return candidates(inner, fill, depth);
  const limits = limitsOf(schema);
  if (limits.const !== undefined) return [limits.const];
  if (limits.enum) return limits.enum.toSorted((a, b) => bytesOf(b) - bytesOf(a));
  if (definition.type === 'object') return objects(schema, fill, depth);
  if (definition.type === 'array' && definition.element) return lists(schema, definition.element, fill, depth);
  if (definition.type === 'record') return records(schema, definition, fill, depth);
  if (definition.type === 'string') return texts(limits, fill);
  if (definition.type === 'number') return [limits.maximum, limits.example, 1];
  if (definition.type === 'boolean') return [true, false];
  if (definition.type === 'unknown' || definition.type === 'any') return anyJson(fill, limits.example);
  const options = (definition.options ?? []).flatMap((option) => first(2, candidates(option, fill, depth)));
  return [...options.toSorted((a, b) => bytesOf(b) - bytesOf(a)), limits.example];
};

/**
 * Values that a schema accepts, the largest first, of texts of one character. Each is generated and checked on demand: it may be megabytes.
 */
export const candidates = function* (schema: z.ZodType, fill: string, depth = 0): Generator<unknown, undefined> {
  const values = depth > MAX_DEPTH ? [limitsOf(schema).example] : unchecked(schema, fill, depth);
  for (const value of values) if (value !== undefined && isValid(schema, value)) yield value;
  return undefined;
};

/** The bodies of a schema that begin as `start` and have every field, or one field, as large as the contract allows. */
export const largestBodies = (schema: z.ZodType, start: unknown, fill: string): unknown[] => {
  if (typeof start !== 'object' || start === null) return first(1, candidates(schema, fill));
  const definition = definitionOf(schema);
  const inner = definition.innerType ?? definition.in ?? definition.left;
  if (inner && !definition.shape) return largestBodies(inner, start, fill);
  const alone = Object.entries(definition.shape ?? {}).flatMap(([name, field]) => {
    for (const value of candidates(field, fill, 1)) {
      const body = { ...start, [name]: value };
      if (bytesOf(body) <= MAX_BODY_BYTES && isValid(schema, body)) return [body];
    }
    return [];
  });
  return [grown(schema, start, fill, 0), ...alone];
};
