import { createHash } from 'node:crypto';
import type { Id, IdKind } from '../domain/core/ids.ts';
import type { Key } from './client/row.ts';

/** The key of a row. */
export const key = (pk: string, sk: string): Key => ({ pk, sk });

/** Caller-chosen text that could contain the separator `#` is hashed before it becomes part of a key. */
export const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
/** Newest-first sort key: ISO time, then the id, so that equal times still have one order. */
export const newestKey = (createdAt: string, id: string): string => `${createdAt}#${id}`;
/** The entry of an index that lists the rows of a partition, newest first. */
export const newestIn = <Index extends `gsi${number}`>(
  index: Index,
  partition: string,
  createdAt: string,
  id: string,
) =>
  ({ [`${index}pk`]: partition, [`${index}sk`]: newestKey(createdAt, id) }) as Record<
    `${Index}pk` | `${Index}sk`,
    string
  >;

/** A zero-padded number, so that it sorts numerically as text. */
export const padded = (number: number, digits: number): string => String(number).padStart(digits, '0');

export type Org = Id<'organization'>;
/** An id, or an empty string to build the keys of a query on the partition. */
export type IdOrEmpty<K extends IdKind> = Id<K> | '';

/** A part of a key with the number of a lane or shard; number 0, which always exists, has the plain text. */
export const numbered = (text: string, number: number): string => (number === 0 ? text : `${text}#${number}`);
