/** What a spreadsheet takes for the beginning of a formula, full-width forms included (OWASP, CSV Injection). */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** What a field must be quoted for (RFC 4180, 2). */
const NEEDS_QUOTES = /[",\r\n]/;

/** A field: a formula is neutralized by an apostrophe, which spreadsheets take for the mark of a text. */
const field = (value: string | number | undefined): string => {
  if (value === undefined) return '';
  const text = typeof value === 'number' ? String(value) : FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** Lines of CSV, each with its end (RFC 4180): the columns' names, then a line a row. Absent values are empty. */
export const csvOf = <const Column extends string>(
  columns: readonly Column[],
  rows: readonly { readonly [C in Column]?: string | number | undefined }[],
): string => {
  const lines = [columns.map(field), ...rows.map((row) => columns.map((column) => field(row[column])))];
  return lines.map((fields) => `${fields.join(',')}\r\n`).join('');
};
