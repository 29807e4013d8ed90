/**
 * Characters that spreadsheets interpret as the start of a formula, including full-width forms (OWASP, CSV Injection). After apostrophes too,
 * so that removing the first one restores every text.
 */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
/** Characters that require quotes (RFC 4180, 2). */
const NEEDS_QUOTES = /[",\r\n]/;

/** Neutralizes a formula by a leading apostrophe, which spreadsheets read as "text". */
const markFormula = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Removes the apostrophe of `markFormula`. */
export const unmarkFormula = (text: string): string =>
  text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;

/** Formats a field. */
const field = (value: string | number | undefined): string => {
  if (value === undefined) return '';
  const text = typeof value === 'number' ? String(value) : markFormula(value);
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
