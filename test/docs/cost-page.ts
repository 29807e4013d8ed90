import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of docs/cost.md. */
export const PAGE = readFileSync(join(import.meta.dirname, '../../docs/cost.md'), 'utf8');

/** The rows of the table under a heading, without its head. */
export const tableUnder = (heading: string): string[][] => {
  const section = PAGE.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
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
