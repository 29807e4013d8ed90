import type { Id } from '../domain/core/ids.ts';
import type { Key, Row } from './client/row.ts';
import type { Table } from './client/table.ts';

/** A parsed row, strongly consistent; undefined if there is none. */
export const readRow = async <T>(table: Table, key: Key, read: (row: Row) => T | Promise<T>) => {
  const row = await table.get(key);
  return row && read(row);
};

/** The same for a row of an organization; another organization's reads as if it didn't exist. */
export const readOwnRow = <T>(
  table: Table,
  organizationId: Id<'organization'>,
  key: Key,
  read: (row: Row) => T | Promise<T>,
) => readRow(table, key, (row) => (row.org === organizationId ? read(row) : undefined));
