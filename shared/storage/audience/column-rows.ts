import * as z from 'zod';
import { COLUMN_NAMES, type Column, type ColumnName, emptyColumn } from '../../domain/audience/columns.ts';
import type { Id } from '../../domain/core/ids.ts';
import { KEYS } from '../access-patterns.ts';
import { ABSENT } from '../client/conditions.ts';
import type { Condition, WriteOp } from '../client/expressions.ts';
import type { Row } from '../client/row.ts';
import { defineRow } from '../client/row-codec.ts';
import type { Table } from '../client/table.ts';
import { decodeColumn, encodeColumn } from './column-codec.ts';

/** A stored part of a column. All parts of a column have its version. */
interface ColumnPart {
  readonly organizationId: Id<'organization'>;
  readonly block: number;
  readonly name: ColumnName;
  readonly part: number;
  readonly parts: number;
  /** Incremented by each write of the column. */
  readonly version: number;
  readonly data: Uint8Array;
}
const isBytes = (value: unknown) => value instanceof Uint8Array;
const partRows = defineRow<ColumnPart>()({
  attributes: {
    organizationId: z.custom<Id<'organization'>>((value) => typeof value === 'string'),
    block: z.int(),
    name: z.enum(COLUMN_NAMES),
    part: z.int(),
    parts: z.int().min(1),
    version: z.int(),
    data: z.custom<Uint8Array>(isBytes),
  },
  rename: { name: 'column' },
  key: ({ organizationId, block, name, part }) => KEYS.audienceColumn(organizationId, block, name, part),
});

/** An item holds 400 KB. */
const PART_BYTES = 350 * 1024;

/** A column with the version at which it was read; 0 if it was never written. */
export interface VersionedColumn {
  readonly column: Column;
  readonly version: number;
  readonly bytes: Uint8Array;
}
/** Identifies a column of an organization's index. */
export interface ColumnPlace {
  readonly organizationId: Id<'organization'>;
  readonly block: number;
  readonly name: ColumnName;
}
const placeText = ({ block, name }: ColumnPlace) => `${block} ${name}`;

const assembled = (parts: readonly ColumnPart[]): VersionedColumn | undefined => {
  const [first] = parts;
  if (!first || parts.length !== first.parts || parts.some(({ version }) => version !== first.version))
    return undefined;
  const bytes = first.parts === 1 ? first.data : Buffer.concat(parts.map(({ data }) => data));
  return { column: decodeColumn(first.name, bytes), version: first.version, bytes };
};

const keyOf = ({ organizationId, block, name }: ColumnPlace, part: number) =>
  KEYS.audienceColumn(organizationId, block, name, part);
const readParts = (rows: readonly (Row | undefined)[]): ColumnPart[] =>
  rows.flatMap((row) => (row ? [partRows.read(row)] : []));

/** Reads the existing columns, consistently: one round trip per 100, and one more for those in several parts. By block and name. */
export const readColumns = async (
  table: Table,
  places: readonly ColumnPlace[],
): Promise<ReadonlyMap<string, VersionedColumn>> => {
  const found = new Map<string, VersionedColumn>();
  const firsts = readParts(
    await table.getMany(
      places.map((place) => keyOf(place, 0)),
      { consistent: true },
    ),
  );
  for (const first of firsts) {
    const others = Array.from({ length: first.parts - 1 }, (_, at) => keyOf(first, at + 1));
    const rest = others.length === 0 ? [] : readParts(await table.getMany(others, { consistent: true }));
    const whole = assembled([first, ...rest]);
    // Written between the reads of its parts: read all of them again.
    if (!whole) return readColumns(table, places);
    found.set(placeText(first), whole);
  }
  return found;
};
/** One of them. */
export const columnAt = (
  columns: ReadonlyMap<string, VersionedColumn>,
  place: ColumnPlace,
): VersionedColumn | undefined => columns.get(placeText(place));

/** The result of a column's write: nothing is written if nothing changed, or if another writer was faster. */
export type ColumnWrite = 'overtaken' | 'same' | 'written';

/** Writes a column if its version is still the one read. */
export const writeColumn = async (
  table: Table,
  place: ColumnPlace,
  before: VersionedColumn | undefined,
  column: Column,
): Promise<ColumnWrite> => {
  const bytes = encodeColumn(column);
  if (Buffer.compare(bytes, before?.bytes ?? encodeColumn(emptyColumn(place.name))) === 0) return 'same';
  const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
  const version = (before?.version ?? 0) + 1;
  const unchanged: Condition = before ? { text: '#version = :read', values: { read: before.version } } : ABSENT;
  const writes = Array.from({ length: parts }, (_, part): WriteOp => {
    const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    const put = partRows.write({ ...place, part, parts, version, data });
    return part === 0 ? { put, when: unchanged } : { put };
  });
  const [only, ...more] = writes;
  const { ok } = only && more.length === 0 ? await table.write(only) : await table.transact(writes);
  return ok ? 'written' : 'overtaken';
};
