import type { ReactNode } from 'react';
import { leadsTo } from '../app/links.ts';

/** A column: how it is called, and what it shows of a row. */
export interface Column<T> {
  readonly key: string;
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Of numbers. */
  readonly alignEnd?: boolean;
}

interface RowLinkProps {
  /** Below `/console`. */
  readonly to: string;
  readonly 'aria-label'?: string;
  /** Always underlined, not only under the pointer: for a link within a text. */
  readonly underlined?: boolean;
  readonly children: ReactNode;
}

/** A link in a row: a plain element, like the table's own. */
export const RowLink = ({ to, underlined, ...link }: RowLinkProps) => (
  <a {...leadsTo(to)} className="app-link" data-underlined={underlined || undefined} {...link} />
);

/** The column by which one goes to the page of what a row shows. */
export const linkColumn = <T,>(title: string, toOf: (row: T) => string, nameOf: (row: T) => ReactNode): Column<T> => ({
  key: 'link',
  title,
  cell: (row) => <RowLink to={toOf(row)}>{nameOf(row)}</RowLink>,
});

/** The same for rows with ids of their own: their pages are under one path, and one of their fields names them. */
export const nameColumn = <T extends { readonly id: string } & { readonly [N in K]: string }, K extends string>(
  title: string,
  under: `/${string}`,
  name: K,
): Column<T> =>
  linkColumn(
    title,
    ({ id }) => `${under}/${id}`,
    (row) => row[name],
  );

interface RowButtonProps {
  /** The action and the row, for screen readers. */
  readonly label: string;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** An action on a row: a plain element, like the table's own. */
export const RowButton = ({ label, onClick, children }: RowButtonProps) => (
  <button type="button" className="row-button" aria-label={label} onClick={onClick}>
    {children}
  </button>
);

interface DataTableProps<T> {
  /** A description of the table for screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
}

/** Roles of a table's elements, which browsers drop once the styles for phones display them as blocks. */
const AS = {
  table: { role: 'table' },
  row: { role: 'row' },
  head: { role: 'columnheader' },
  cell: { role: 'cell' },
} as const;

/**
 * A table; on a phone each row is a card whose cells carry the columns' titles. Its elements are plain: components of Mantine for each cell would
 * take most of the time that a page of rows needs.
 */
export const DataTable = <T,>({ caption, columns, rows, keyOf }: DataTableProps<T>) => (
  <table {...AS.table} className="data-table">
    <caption className="visually-hidden">{caption}</caption>
    <thead>
      <tr>
        {columns.map(({ key, title, alignEnd }) => (
          <th {...AS.head} key={key} scope="col" data-end={alignEnd || undefined}>
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr {...AS.row} key={keyOf(row)} data-row={keyOf(row)}>
          {columns.map(({ key, title, cell, alignEnd }) => (
            <td {...AS.cell} key={key} data-title={title} data-end={alignEnd || undefined}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);
