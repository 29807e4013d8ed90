import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';
import { BLOCK_SIZE } from '../../domain/audience/block.ts';
import { type Column, type ColumnName, type Holders, kindOf } from '../../domain/audience/columns.ts';

/** Speed over size: a column is written about as often as it is read. */
const LEVEL = { level: 3 };
/** The maximum unpacked size of a column: only a bug would create a larger one. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Offsets as differences, which compress well. */
const differences = (offsets: readonly number[]): number[] => offsets.map((at, nth) => at - (offsets[nth - 1] ?? 0));
const sums = (steps: readonly number[]): number[] => {
  let at = 0;
  return steps.map((step) => {
    at += step;
    return at;
  });
};

type StoredValues = readonly (readonly [key: string, values: Holders])[];
const isStoredValues = (value: unknown): value is StoredValues =>
  z.array(z.tuple([z.string(), z.array(z.unknown())])).safeParse(value).success;

/** Encodes a column for its row. */
export const encodeColumn = (column: Column): Uint8Array => {
  if (column.kind === 'bytes') return deflateRawSync(column.bytes, LEVEL);
  if (column.kind === 'times')
    return deflateRawSync(new Uint8Array(column.times.buffer, column.times.byteOffset, column.times.byteLength), LEVEL);
  const stored = [...column.values].map(([key, holders]) => [
    key,
    holders.map(([value, offsets]) => [value, differences(offsets)]),
  ]);
  return deflateRawSync(JSON.stringify(stored), LEVEL);
};

/** Decodes a column from its row's bytes. Throws if they are invalid. */
export const decodeColumn = (name: ColumnName, stored: Uint8Array): Column => {
  const bytes = inflateRawSync(stored, { maxOutputLength: MAX_BYTES });
  const kind = kindOf(name);
  if (kind === 'bytes') {
    if (bytes.length !== BLOCK_SIZE) throw new TypeError('not a base column');
    return { kind, bytes: new Uint8Array(bytes) };
  }
  if (kind === 'times') {
    if (bytes.length !== BLOCK_SIZE * 8) throw new TypeError('not a column of times');
    return { kind, times: new Float64Array(new Uint8Array(bytes).buffer) };
  }
  const values: unknown = JSON.parse(bytes.toString());
  if (!isStoredValues(values)) throw new TypeError('not a column of values');
  return {
    kind,
    values: new Map(
      values.map(([key, holders]) => [key, holders.map(([value, offsets]) => [value, sums(offsets)] as const)]),
    ),
  };
};
