import type { ImportRow } from '../contacts/import.ts';
import { isRefusal } from '../core/errors.ts';
import { findIssue, readJson } from '../core/json-text.ts';
import { orUndefined } from '../core/or-undefined.ts';
import { type Columns, columnsOf, contactOfCells } from './columns.ts';
import { type CsvRecord, csvRecordAt, DELIMITERS, type Delimiter, unclosedRecord } from './csv-records.ts';
import { type ImportJob, type ImportProblem, MAX_FILE_ROWS, MAX_RECORD_BYTES } from './import-job.ts';

/** Rows of a part: what one run stores within a few seconds. */
export const MAX_PART_ROWS = 2_000;

/** A row of the file, with the line at which it starts. */
export interface FileRow {
  readonly line: number;
  readonly row: ImportRow;
}
/** The next rows of a file. `problem`: why the job ends after storing them. */
export interface FilePart {
  readonly rows: readonly FileRow[];
  /** Bytes and lines of the part, empty lines included. */
  readonly bytes: number;
  readonly lines: number;
  readonly columns?: Columns;
  readonly delimiter?: Delimiter;
  readonly problem?: { readonly code: ImportProblem; readonly at?: number };
}
/** Bytes of a file from a job's position on; `last`: they reach its end. */
export interface FileBytes {
  readonly bytes: Buffer;
  readonly last: boolean;
}

const LF = 0x0a;
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of bytes; undefined where they are not UTF-8. */
const textOf = (bytes: Uint8Array): string | undefined => orUndefined(() => utf8.decode(bytes));
const textsOf = (fields: readonly Buffer[]): string[] | undefined => {
  const texts = fields.map(textOf);
  return texts.every((text) => text !== undefined) ? texts : undefined;
};

const linesIn = (bytes: Buffer, from: number, to: number): number => {
  let lines = 0;
  for (let at = bytes.indexOf(LF, from); at !== -1 && at < to; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
};

/** A complete CSV record; `record_too_long` if it doesn't end within the maximum size, undefined if the bytes end first. */
const wholeRecord = (
  { bytes, last }: FileBytes,
  from: number,
  delimiter: Delimiter,
): CsvRecord | 'record_too_long' | undefined => {
  const window = bytes.subarray(0, from + MAX_RECORD_BYTES + 1);
  const isAll = window.length === bytes.length;
  const record = csvRecordAt(window, from, { delimiter, last: last && isAll });
  if (record) return record;
  return isAll ? undefined : (unclosedRecord(window, from) ?? 'record_too_long');
};

/** The error in a value that no request may contain, such as NUL. */
const hostileOf = (value: unknown): string | undefined => {
  const issue = findIssue(value, '');
  return issue && `${issue.path} ${issue.message}`.trim();
};

/** Parses a record as a new contact. */
export type ParseContact = (value: unknown) => ImportRow;

const csvRow = (columns: Columns, cells: readonly string[], parse: ParseContact): ImportRow => {
  if (cells.length !== columns.length)
    return { invalid: `has ${cells.length} fields where the header has ${columns.length}` };
  const value = contactOfCells(columns, cells);
  const hostile = hostileOf(value);
  return hostile === undefined ? parse(value) : { invalid: hostile };
};

const ndjsonRow = (text: string, parse: ParseContact): ImportRow => {
  const read = readJson(text, 'VALIDATION_ERROR');
  if (!isRefusal(read)) return parse(read.value);
  const [issue] = read.details.errors ?? [];
  return { invalid: issue ? `${issue.path} ${issue.message}`.trim() : 'is not JSON, or nested too deep' };
};

/** A record of either format: its row, nothing for an empty line, or why the job ends. */
interface Read {
  readonly end: number;
  readonly row?: ImportRow;
}
type ReadAt = (from: number) => Read | ImportProblem | undefined;

const csvReader =
  (file: FileBytes, { columns, delimiter }: Layout, parse: ParseContact): ReadAt =>
  (from) => {
    const record = wholeRecord(file, from, delimiter);
    if (typeof record !== 'object') return record;
    const { end, fields = [], fault } = record;
    if (fault !== undefined) return { end, row: { invalid: fault } };
    if (fields.length === 1 && fields[0]?.length === 0) return { end };
    const cells = textsOf(fields);
    return cells ? { end, row: csvRow(columns, cells, parse) } : 'not_utf8';
  };

const ndjsonReader =
  ({ bytes, last }: FileBytes, parse: ParseContact): ReadAt =>
  (from) => {
    const lineEnd = bytes.indexOf(LF, from);
    const end = lineEnd === -1 ? bytes.length : lineEnd;
    if (end - from > MAX_RECORD_BYTES) return 'record_too_long';
    if (lineEnd === -1 && !last) return undefined;
    const text = textOf(bytes.subarray(from, end))?.trim();
    if (text === undefined) return 'not_utf8';
    const after = Math.min(end + 1, bytes.length);
    return text === '' ? { end: after } : { end: after, row: ndjsonRow(text, parse) };
  };

interface Layout {
  readonly columns: Columns;
  readonly delimiter: Delimiter;
}
/** The header of a CSV: the fields of its columns, and where the first row starts. The delimiter is the one that yields the most fields. */
const headerOf = (
  file: FileBytes,
  from: number,
  mapping: ImportJob['mapping'],
): (Layout & { readonly end: number }) | NonNullable<FilePart['problem']> => {
  const found = DELIMITERS.map((delimiter) => ({ delimiter, record: wholeRecord(file, from, delimiter) }));
  const read = found.flatMap(({ delimiter, record }) =>
    typeof record === 'object' && record.fields ? [{ delimiter, end: record.end, fields: record.fields }] : [],
  );
  const [best] = read.sort((a, b) => b.fields.length - a.fields.length);
  if (!best || (best.fields.length === 1 && best.fields[0]?.length === 0))
    return { code: found.some(({ record }) => record === 'record_too_long') ? 'record_too_long' : 'bad_header', at: 1 };
  const names = textsOf(best.fields);
  if (!names) return { code: 'not_utf8', at: 1 };
  const columns = columnsOf(names, mapping);
  if ('code' in columns) return { code: columns.code, ...('column' in columns ? { at: columns.column } : {}) };
  return { columns, delimiter: best.delimiter, end: best.end };
};

/** The unique keys of a row. */
const keysOf = ({ row }: FileRow): readonly [string, string] | undefined =>
  'valid' in row && row.valid.externalId !== undefined ? [row.valid.phone, row.valid.externalId] : undefined;

/**
 * How many of the rows form one part: none of them uses a phone or external id that an earlier one assigned to somebody else. That way a
 * repeated part finds each row's own contact, whatever was already stored.
 */
const independent = (rows: readonly FileRow[]): number => {
  const externalIds = new Map<string, string>();
  const phones = new Map<string, string>();
  const end = rows.findIndex((row) => {
    const keys = keysOf(row);
    if (!keys) return false;
    const [phone, externalId] = keys;
    if ((externalIds.get(phone) ?? externalId) !== externalId || (phones.get(externalId) ?? phone) !== phone)
      return true;
    externalIds.set(phone, externalId);
    phones.set(externalId, phone);
    return false;
  });
  return end === -1 ? rows.length : end;
};

interface Placed extends FileRow {
  /** The byte at which the row starts. */
  readonly begin: number;
}
const collect = (readAt: ReadAt, from: number, { bytes, last }: FileBytes, line: number, room: number) => {
  const rows: Placed[] = [];
  let at = from;
  let problem: FilePart['problem'];
  for (let next = line; at < bytes.length && rows.length < MAX_PART_ROWS; ) {
    const read = readAt(at);
    if (typeof read === 'string') problem = { code: read, at: next };
    else if (!read && last) throw new TypeError('the last record of a file is read whole');
    if (!read || problem || typeof read === 'string') break;
    if (read.row && rows.length >= room) problem = { code: 'too_many_rows', at: next };
    if (problem) break;
    if (read.row) rows.push({ line: next, begin: at, row: read.row });
    next += linesIn(bytes, at, read.end);
    at = read.end;
  }
  return { rows, end: at, problem };
};

/** The next rows of a job's file, from the bytes at its position on. */
export const readPart = (
  job: Pick<ImportJob, 'columns' | 'delimiter' | 'format' | 'line' | 'mapping' | 'position' | 'rows'>,
  file: FileBytes,
  parse: ParseContact,
): FilePart => {
  const { bytes } = file;
  const begin = job.position === 0 && bytes.subarray(0, BOM.length).equals(BOM) ? BOM.length : 0;
  const isNew = job.format === 'csv' && (job.columns === undefined || job.delimiter === undefined);
  const header = isNew ? headerOf(file, begin, job.mapping) : undefined;
  if (header && 'code' in header) return { rows: [], bytes: 0, lines: 0, problem: header };
  const layout = header ?? { columns: job.columns ?? [], delimiter: job.delimiter ?? ',' };
  const from = header?.end ?? begin;
  const readAt = job.format === 'csv' ? csvReader(file, layout, parse) : ndjsonReader(file, parse);
  const line = job.line + linesIn(bytes, 0, from);
  const { rows, end, problem } = collect(readAt, from, file, line, MAX_FILE_ROWS - job.rows);
  const kept = independent(rows);
  const cut = rows[kept]?.begin;
  return {
    rows: rows.slice(0, kept).map(({ line: at, row }) => ({ line: at, row })),
    bytes: cut ?? end,
    lines: linesIn(bytes, 0, cut ?? end),
    ...(header ? { columns: layout.columns, delimiter: layout.delimiter } : {}),
    ...(problem && cut === undefined ? { problem } : {}),
  };
};
