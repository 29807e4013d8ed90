/*
 * Records of CSV (RFC 4180) by their place in bytes, so that a file is read by ranges and gone on with at any record. No library tells where in the bytes
 * a record ends once one before it was wrong.
 */

const QUOTE = 0x22;
const CR = 0x0d;
const LF = 0x0a;

/** What separates fields; spreadsheets of many countries, Brazil among them, write semicolons. */
export const DELIMITERS = [',', ';', '\t'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** A record: its fields, or why it is none. `end` is the byte after its line break. Fields are not decoded yet. */
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

/** The bytes that a line break at `at` has: 0 where there is none. */
const breakAt = (bytes: Buffer, at: number): number => {
  if (bytes[at] === LF) return 1;
  return bytes[at] === CR && bytes[at + 1] === LF ? 2 : 0;
};

/** Where the quote that opened at `from` closes; -1 when it does not. */
const closingQuote = (bytes: Buffer, from: number): number => {
  let at = bytes.indexOf(QUOTE, from + 1);
  while (at !== -1 && bytes[at + 1] === QUOTE) at = bytes.indexOf(QUOTE, at + 2);
  return at;
};

const undoubled = (bytes: Buffer): Buffer =>
  bytes.includes('""') ? Buffer.from(bytes.toString('latin1').replaceAll('""', '"'), 'latin1') : bytes;

/** The field that begins at `from`, or why it is none. */
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

/** A record that is none ends with its first line, so that a wrong quote costs no other record. */
const faultyRecord = (bytes: Buffer, from: number, fault: string, last: boolean): CsvRecord | undefined => {
  const lineEnd = bytes.indexOf(LF, from);
  if (lineEnd === -1 && !last) return undefined;
  return { fault, end: lineEnd === -1 ? bytes.length : lineEnd + 1 };
};

/** A record whose quote is not closed within as many bytes as a record may have. */
export const unclosedRecord = (bytes: Buffer, from: number): CsvRecord | undefined =>
  faultyRecord(bytes, from, NOT_CLOSED, false);

/** The record that begins at a byte; undefined where it may go on after `bytes`, which is never so when these are the `last` of the file. */
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
    // A quote or a line break may have its second half in the next range.
    if (at + 1 >= bytes.length && !last && bytes[at] !== LF) return undefined;
    if (at >= bytes.length) return { fields, end: bytes.length };
    const lineBreak = breakAt(bytes, at);
    if (lineBreak > 0) return { fields, end: at + lineBreak };
  }
};
