import { type ImportedRows, importRows } from '../contacts/import.ts';
import { CLAIM_MS, MAX_ATTEMPTS, runClaimed, waitAfter } from '../core/claimed-job.ts';
import { csvOf } from '../core/csv.ts';
import { derivedId, type Id } from '../core/ids.ts';
import {
  errorFileKey,
  errorPartKey,
  type ImportJob,
  type ImportProgress,
  importEvent,
  MAX_LISTED_ERRORS,
  sourceKey,
} from './import-job.ts';
import type { ImportEnd, ImportRunPorts } from './ports.ts';
import { type FilePart, type FileRow, readPart } from './read-part.ts';

/** A part starts no further round after this time, in ms. */
const PART_MS = 15_000;
/** Bytes read for a part: more than the maximum record size. */
const READ_BYTES = 1_048_576;

/** Maximum parts of the file of errors: only files full of errors would have more. */
const MAX_ERROR_PARTS = 1_000;

/** The id of the contact that a row creates in an attempt at its part. */
const contactIdOf = (job: ImportJob, at: number, attempt: number): Id<'contact'> =>
  derivedId('contact', [job.id, String(job.rows + at), String(attempt)]);

/**
 * Imports the rows of a part. Contacts that an earlier attempt created are recognized by their derived ids, so that a row counts as
 * created, however often its part is repeated.
 */
const importPart = (ports: ImportRunPorts, job: ImportJob, rows: readonly FileRow[]): Promise<ImportedRows> => {
  const earlier = Array.from({ length: job.attempts - 1 }, (_, at) => at + 1);
  return importRows(
    ports.contacts,
    job,
    rows.map(({ row }) => row),
    {
      onConflict: job.onConflict,
      enoughMs: PART_MS,
      mayContinue: async () => (await ports.store.read(job.id))?.fence === job.fence,
      idOf: (at) => contactIdOf(job, at, job.attempts),
      wasCreatedBy: (at, id) => [...earlier, job.attempts].some((attempt) => contactIdOf(job, at, attempt) === id),
    },
  );
};

/** Stores the errors of a part of the file as a part of the file of errors; returns the fences of all. */
const keepErrors = async ({ bucket }: ImportRunPorts, job: ImportJob, part: FilePart, { errors }: ImportedRows) => {
  if (errors.length === 0 || job.errors >= MAX_LISTED_ERRORS || job.errorParts.length >= MAX_ERROR_PARTS)
    return job.errorParts;
  const rows = errors.map(({ at, message }) => ({ line: part.rows[at]?.line, message }));
  const [, ...lines] = csvOf(['line', 'message'], rows).split(/(?<=\r\n)/);
  await bucket.put(errorPartKey(job, job.fence), lines.join(''));
  return [...job.errorParts, job.fence];
};

const progressAfter = (job: ImportJob, part: FilePart, outcome: ImportedRows): Omit<ImportProgress, 'errorParts'> => ({
  position: job.position + part.bytes,
  line: job.line + part.lines,
  rows: job.rows + part.rows.length,
  created: job.created + outcome.created,
  updated: job.updated + outcome.updated,
  ignored: job.ignored + outcome.ignored,
  errors: job.errors + outcome.errors.length,
  ...(part.columns && part.delimiter ? { columns: part.columns, delimiter: part.delimiter } : {}),
});

/** Joins the parts of the file of errors into one file. */
const joinErrors = async ({ bucket }: ImportRunPorts, job: ImportJob): Promise<void> => {
  if (job.errorParts.length === 0) return;
  const texts: string[] = [];
  for (const fence of job.errorParts) texts.push(await bucket.text(errorPartKey(job, fence)));
  await bucket.put(errorFileKey(job), csvOf(['line', 'message'], []) + texts.join(''));
};

/** Ends a job; its file and parts of the file of errors are deleted afterwards, at the latest by the bucket's lifecycle rule. */
const end = async (ports: ImportRunPorts, job: ImportJob, how: ImportEnd): Promise<void> => {
  const joined = joinErrors(ports, job);
  // The bucket may be the reason why the job can't continue, so its failure must not prevent the end.
  await (how.problem === 'internal_error'
    ? joined.catch(() => ports.onFailure('errors of an import are lost'))
    : joined);
  if (!(await ports.store.end(job, how, importEvent({ ...job, status: how.status }, ports.clock())))) return;
  const errorParts = job.errorParts.map((fence) => errorPartKey(job, fence));
  await ports.bucket
    .remove([sourceKey(job), ...errorParts])
    .catch(() => ports.onFailure('the file of an import could not be removed'));
};

/** How a job ends after its next part; undefined if it continues. */
const endOf = (job: ImportJob, part: FilePart, isLast: boolean): ImportEnd | undefined => {
  if (part.rows.length > 0 || (part.bytes > 0 && !part.problem)) return undefined;
  if (part.problem) return { status: 'failed', problem: part.problem.code, problemAt: part.problem.at };
  return isLast && job.position >= job.size ? { status: 'completed' } : undefined;
};

const NO_PART: FilePart = { rows: [], bytes: 0, lines: 0 };

/** Processes one part; returns the job with the next one claimed, or undefined if it ended or another worker has it. */
const takePart = async (ports: ImportRunPorts, job: ImportJob): Promise<ImportJob | undefined> => {
  const file =
    job.position >= job.size
      ? { bytes: Buffer.alloc(0), last: true }
      : await ports.bucket.read(sourceKey(job), job.etag ?? '', job.position, READ_BYTES);
  const part = typeof file === 'string' ? NO_PART : readPart(job, file, ports.parse);
  const how = typeof file === 'string' ? { status: 'failed' as const, problem: file } : endOf(job, part, file.last);
  if (how) {
    await end(ports, job, how);
    return undefined;
  }
  const outcome = await importPart(ports, job, part.rows);
  if (outcome.unreached.length > 0) {
    await ports.store.release(job, ports.clock() + waitAfter(job.attempts), job.attempts);
    return undefined;
  }
  const errorParts = await keepErrors(ports, job, part, outcome);
  return ports.store.advance(job, { ...progressAfter(job, part, outcome), errorParts }, ports.clock() + CLAIM_MS);
};

/** Ends a job that was cancelled or failed. A cancelled one ends between two parts, so that its counts are exact. */
const endEarly = async (ports: ImportRunPorts, job: ImportJob): Promise<boolean> => {
  const isCancelled = job.status === 'cancelling' && job.attempts === 1;
  if (!isCancelled && job.attempts <= MAX_ATTEMPTS) return false;
  if (!isCancelled) ports.onFailed(job);
  await end(ports, job, isCancelled ? { status: 'cancelled' } : { status: 'failed', problem: 'internal_error' });
  return true;
};

/**
 * Continues an import. A part's contacts are stored first, then its progress in one conditional write under the worker's claim; a part
 * whose progress was not stored is repeated, and recognizes what it stored (docs/spec/contacts.md#import-jobs).
 */
export const runImport = (ports: ImportRunPorts, id: Id<'importJob'>): Promise<void> =>
  runClaimed(ports, id, { end: (job) => endEarly(ports, job), step: (job) => takePart(ports, job) });
