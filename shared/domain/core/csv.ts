/**
 * Characters that spreadsheets interpret as the start of a formula, including full-width forms (OWASP, CSV Injection).
 */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** Characters that require quotes (RFC 4180, 2). */
const NEEDS_QUOTES = /[",\r\n]/;

/** Formats a field. A formula is neutralized by a leading apostrophe, which spreadsheets read as "text". */
const field = (value: string | number | undefined): string => {
  if (value === undefined) return '';
  const text = typeof value === 'number' ? String(value) : FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** CSV (RFC 4180): a header line, then a line per row, each with its line break. Absent values are empty. */
export const csvOf = <const Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [C in Column]?: string | number | undefined }[],
): string => {
  const lines = [columns.map(field), ...rows.map((row) => columns.map((column) => field(row[column])))];
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('');
};
