import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

/** A column: how it is called, and what it shows of a row. */
export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Of numbers. */
  readonly alignEnd?: boolean;
}

interface DataTableProps<T> {
  /** A description of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** A table; on a phone each row is a card whose cells carry the columns' titles. */
export const DataTable = <T,>({ caption, columns, rows, keyOf }: DataTableProps<T>) => (
  <Table role="table" className="data-table" verticalSpacing="xs" highlightOnHover>
    <caption className="visually-hidden">{caption}</caption>
    <Table.Thead>
      <Table.Tr>
        {columns.map(({ key, title, alignEnd }) => (
          <Table.Th role="columnheader" key={key} scope="col" ta={alignEnd ? 'end' : 'start'}>
            {title}
          </Table.Th>
        ))}
      </Table.Tr>
    </Table.Thead>
    <Table.Tbody>
      {rows.map((row) => (
        <Table.Tr role="row" key={keyOf(row)} data-row={keyOf(row)}>
          {columns.map(({ key, title, cell, alignEnd }) => (
            <Table.Td role="cell" key={key} data-title={title} ta={alignEnd ? 'end' : 'start'}>
              {cell(row)}
            </Table.Td>
          ))}
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
);
