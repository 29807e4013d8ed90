import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const pageOf = (name: string): string => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8');
/** The text of docs/cost.md. */
export const PAGE = pageOf('cost.md');

/** The rows of the table under a heading of a page, of docs/cost.md unless it is another, without its head. */
export const tableUnder = (heading: string, page = 'cost.md'): string[][] => {
  const section =
    pageOf(page)
      .split(/^## /m)
      .find((part) => part.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
};

/** The number in a cell of a row. */
export const cell = (row: readonly string[] | undefined, at: number): number =>
  Number((row?.[at] ?? '').replaceAll(',', ''));
