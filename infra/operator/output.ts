/** The result of a command: the document that `--json` prints, from which the text output is rendered. */
export interface CommandResult {
  readonly data: Readonly<Record<string, unknown>>;
  /** A remark for people; never part of the JSON. */
  readonly note?: string;
}

/** Lists in a table cell are cut after this many entries, and counted. */
const MAX_SHOWN = 6;

const text = (value: unknown, shown = Number.POSITIVE_INFINITY): string => {
  if (value === undefined || value === null) return '-';
  if (Array.isArray(value) && value.every((entry) => typeof entry !== 'object'))
    return value.length > shown ? `${value.slice(0, shown).join(',')} … (${value.length})` : value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

const fieldLines = (record: Readonly<Record<string, unknown>>): string[] => {
  const flat = Object.entries(record).flatMap(([name, value]): [string, unknown][] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([inner, deep]) => [`${name}.${inner}`, deep])
      : [[name, value]],
  );
  const width = Math.max(...flat.map(([name]) => name.length), 0);
  return flat.map(([name, value]) => `${name.padEnd(width)}  ${text(value)}`);
};

const tableLines = (records: readonly Readonly<Record<string, unknown>>[]): string[] => {
  if (records.length === 0) return ['(none)'];
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = [columns, ...records.map((record) => columns.map((column) => text(record[column], MAX_SHOWN)))];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};

/** The text output: a table for lists, a line per field otherwise. */
export const asText = ({ data, note }: CommandResult): string => {
  const { items, ...rest } = data;
  const body = Array.isArray(items) ? [...tableLines(items), ...fieldLines(rest)] : fieldLines(data);
  return [...body, ...(note ? ['', note] : [])].join('\n');
};

/** Prints a command's result on stdout. */
export const printResult = (result: CommandResult, json: boolean): void => {
  process.stdout.write(`${json ? JSON.stringify(result.data) : asText(result)}\n`);
};

/** Prints why a command failed on stderr, in JSON mode as `{"error": …}`. Returns the exit code. */
export const printFailure = (failure: unknown, json: boolean): 1 => {
  const message = (failure instanceof Error ? failure.message : String(failure)).replace(/^error: /, '');
  process.stderr.write(`${json ? JSON.stringify({ error: message }) : message}\n`);
  return 1;
};
