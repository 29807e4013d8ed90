import * as z from 'zod';
import { type Key, type Row, SHAPE } from './row.ts';

type Atom = string | number | boolean | null | undefined | Uint8Array;
/** A type without its readonly marks and with its optional fields wrapped, so that assignability both ways is equality. */
type Comparable<T> = T extends Atom
  ? T
  : T extends readonly (infer E)[]
    ? Comparable<E>[]
    : T extends object
      ? {
          -readonly [K in keyof T]-?: Record<never, never> extends Pick<T, K>
            ? { optional: Comparable<T[K]>; undefined: Record<K, undefined> extends Pick<T, K> ? true : false }
            : Comparable<T[K]>;
        }
      : T;
type Same<A, B> = [Comparable<A>, Comparable<B>] extends [Comparable<B>, Comparable<A>] ? true : false;
/** The names of the fields that are missing in one of two types, or differ between them. */
type Differing<A, B> = {
  [K in keyof A | keyof B]: K extends keyof A & keyof B ? (Same<Pick<A, K>, Pick<B, K>> extends true ? never : K) : K;
}[keyof A | keyof B];
/** Compiles only if the attributes decode to exactly the entity; the error names the fields that do not. */
type Exactly<Entity, Fields> = [Differing<Entity, Fields>] extends [never]
  ? unknown
  : { readonly fieldsThatDiffer: Differing<Entity, Fields> };

interface RowDefinition<Entity, Attributes, Place extends readonly unknown[]> {
  /** The codec of each field, under the field's name. */
  readonly attributes: Attributes;
  /** Attributes that are stored under another name than the field's, besides `organizationId`: every row has it as `org`. */
  readonly rename?: { readonly [K in keyof Attributes]?: string };
  readonly key: (entity: Entity, ...place: Place) => Key;
  /** The index entries of the row. */
  readonly index?: (entity: Entity) => Readonly<Record<string, string | number>>;
  /** The version of the shape that is written; 1 by default. */
  readonly version?: number;
  /**
   * For each earlier version, converts its rows to the next version, index entries included. A row may be mixed, since an update leaves its
   * row's version: what the next version wrote already wins.
   */
  readonly versions?: Readonly<Record<number, (old: Row) => Row>>;
}

/** Reads and writes the rows of an entity. */
export interface RowCodec<Entity, Place extends readonly unknown[] = []> {
  /** The entity of a row. Every field is checked; unknown attributes are ignored. Throws a ZodError. */
  read(row: Row): Entity;
  /** Reads only some fields, for rows that were read with a projection. */
  pick<Field extends keyof Entity & string>(...fields: readonly Field[]): (row: Row) => Pick<Entity, Field>;
  /** The row of an entity: attributes, key and index entries. Undefined fields are not stored. */
  write(entity: Entity, ...place: Place): Row;
  /** Some of an entity's fields as attributes, for an update or a condition; undefined ones are left out. Throws a TypeError for an unknown field. */
  set(fields: { readonly [K in keyof Entity]?: Entity[K] | undefined }): Record<string, unknown>;
  /** The version of the shape that is written. */
  readonly version: number;
  /** The names of its attributes in a row. */
  readonly names: readonly string[];
  /** A row of an older shape as the newest one, once it reads as the entity; undefined for one that is up to date. Throws a ZodError. */
  upgrade(row: Row): Row | undefined;
}

type Values = Record<string, unknown>;

/** Whether values of a type are stored unchanged, including all of their parts. */
const isPlain = (type: z.core.$ZodType): boolean => {
  const { def } = (type as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'enum':
    case 'literal':
    case 'null':
    case 'unknown':
    case 'custom':
      return true;
    case 'optional':
    case 'nullable':
    case 'default':
      return isPlain(def.innerType);
    case 'array':
      return isPlain(def.element);
    case 'record':
      return isPlain(def.valueType);
    case 'object':
      return Object.values(def.shape).every(isPlain);
    case 'union':
      return def.options.every(isPlain);
    default:
      return false;
  }
};
const UNCHANGED = z.any().optional();

/**
 * The codec of an entity's rows, from one declaration. A row of an older version is converted when it is read; an update does not change the
 * version of its row, so an attribute whose meaning changes gets a new name.
 */
export const defineRow =
  <Entity extends object>() =>
  <Attributes extends Readonly<Record<string, z.ZodType>>, Place extends readonly unknown[] = []>(
    definition: RowDefinition<Entity, Attributes, Place> & Exactly<Entity, z.output<z.ZodObject<Attributes>>>,
  ): RowCodec<Entity, Place> => {
    const { key, index, version = 1, versions = {} } = definition;
    const codecs: Readonly<Record<string, z.ZodType>> = definition.attributes;
    const names: Readonly<Record<string, string | undefined>> = { organizationId: 'org', ...definition.rename };
    const nameOf = (field: string): string => names[field] ?? field;
    const renamed = Object.keys(codecs)
      .map((field) => ({ field, name: nameOf(field) }))
      .filter(({ field, name }) => field !== name);
    // The types guarantee what is written: only fields with a different stored form are encoded, so that writes are not validated a second
    // time.
    const encoders = new Map(
      Object.entries(codecs).map(([field, codec]) => [field, isPlain(codec) ? UNCHANGED : codec] as const),
    );
    const writer = z.object(Object.fromEntries([...encoders].map(([field, codec]) => [nameOf(field), codec])));
    const upgraded = (row: Row): Row => {
      let current = row;
      for (let at = Number(row[SHAPE] ?? 1); at < version; at++) current = versions[at]?.(current) ?? current;
      return current;
    };
    const readBy = (schema: z.ZodObject) => (row: Row) => {
      const old = upgraded(row);
      const given: Values = { ...old };
      for (const { field, name } of renamed)
        if (old[name] === undefined) delete given[field];
        else given[field] = old[name];
      return schema.parse(given);
    };
    const readAll = readBy(z.object(codecs));
    return {
      version,
      names: Object.keys(codecs).map(nameOf),
      upgrade(row) {
        if (Number(row[SHAPE] ?? 1) >= version) return undefined;
        const current = { ...upgraded(row), [SHAPE]: version };
        readAll(current);
        return current;
      },
      // The type of `definition` proves that these are the entity's fields.
      read: (row) => readAll(row) as Entity,
      pick<Field extends keyof Entity & string>(...fields: readonly Field[]) {
        const readSome = readBy(z.object(Object.fromEntries(fields.map((field) => [field, codecs[field]]))));
        return (row: Row) => readSome(row) as Pick<Entity, Field>;
      },
      write(entity, ...place) {
        const values = entity as Values;
        const given = { ...values };
        for (const { field, name } of renamed) given[name] = values[field];
        const row: Row = { ...z.encode(writer, given), ...key(entity, ...place), ...index?.(entity) };
        return version > 1 ? { ...row, [SHAPE]: version } : row;
      },
      set(fields) {
        const set: Values = {};
        for (const [field, value] of Object.entries(fields)) {
          const encoder = encoders.get(field);
          if (!encoder) throw new TypeError(`${field} is not an attribute`);
          if (value !== undefined) set[nameOf(field)] = z.encode(encoder, value);
        }
        return set;
      },
    };
  };
