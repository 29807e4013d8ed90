/*
 * Parses CSV records (RFC 4180) by byte position, so that a file can be read in ranges and resumed at any record. No library reports where
 * a record ends once an earlier one was invalid.
 */

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** Field separators; spreadsheets of many countries, including Brazil, write semicolons. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A record: its fields, or its error. `end` is the byte after its line break. Fields are not decoded yet. */
export interface CsvRecord {
  readonly end: number;
  readonly fields?: readonly Buffer[];
  readonly fault?: string;
}

/** A field and where it ended: at a delimiter, a line break or the end of the file. */
interface Field {
  readonly value: Buffer;
  readonly at: number;
}

const NOT_DOUBLED = 'a quote within a field must be doubled, and its field quoted';
const NOT_CLOSED = 'a quote is not closed';

/** The length of a line break at `at` in bytes; 0 if there is none. */
const breakAt = (bytes: Buffer, at: number): number => {
  if (bytes[at] === LF) return 1;
  return bytes[at] === CR && bytes[at + 1] === LF ? 2 : 0;
};

/** The position of the quote that closes the one at `from`; -1 if there is none. */
const closingQuote = (bytes: Buffer, from: number): number => {
  let at = bytes.indexOf(QUOTE, from + 1);
  while (at !== -1 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at;
};

const undoubled = (bytes: Buffer): Buffer =>
  bytes.includes('""') ? Buffer.from(bytes.toString('latin1').replaceAll('""', '"'), 'latin1') : bytes;

/** The field at `from`, or its error. */
const fieldAt = (bytes: Buffer, from: number, delimiter: number): Field | { readonly fault: string } => {
  if (bytes[from] === QUOTE) {
    const close = closingQuote(bytes, from);
    if (close === -1) return { fault: NOT_CLOSED };
    const after = close + 1;
    const ends = after >= bytes.length || bytes[after] === delimiter || breakAt(bytes, after) > 0;
    return ends ? { value: undoubled(bytes.subarray(from + 1, close)), at: after } : { fault: NOT_DOUBLED };
  }
  let at = from;
  while (at < bytes.length && bytes[at] !== delimiter && breakAt(bytes, at) === 0) {
    if (bytes[at] === QUOTE) return { fault: NOT_DOUBLED };
    at++;
  }
  return { value: bytes.subarray(from, at), at };
};

/** An invalid record ends with its first line, so that an unbalanced quote affects no other record. */
const faultyRecord = (bytes: Buffer, from: number, fault: string, last: boolean): CsvRecord | undefined => {
  const lineEnd = bytes.indexOf(LF, from);
  if (lineEnd === -1 && !last) return undefined;
  return { fault, end: lineEnd === -1 ? bytes.length : lineEnd + 1 };
};

/** A record with a quote that is not closed within the maximum record size. */
export const unclosedRecord = (bytes: Buffer, from: number): CsvRecord | undefined =>
  faultyRecord(bytes, from, NOT_CLOSED, false);

/** The record at a byte; undefined if it may continue beyond `bytes`, which it can't when they are the `last` of the file. */
export const csvRecordAt = (
  bytes: Buffer,
  from: number,
  { delimiter, last }: { readonly delimiter: Delimiter; readonly last: boolean },
): CsvRecord | undefined => {
  const separator = delimiter.charCodeAt(0);
  const fields: Buffer[] = [];
  for (let at = from; ; at++) {
    const field = fieldAt(bytes, at, separator);
    if ('fault' in field)
      return field.fault === NOT_CLOSED && !last ? undefined : faultyRecord(bytes, from, field.fault, last);
    fields.push(field.value);
    at = field.at;
    // The second half of a quote or line break may be in the next range.
    if (at + 1 >= bytes.length && !last && bytes[at] !== LF) return undefined;
    if (at >= bytes.length) return { fields, end: bytes.length };
    const lineBreak = breakAt(bytes, at);
    if (lineBreak > 0) return { fields, end: at + lineBreak };
  }
};
