import { type ImportedRows, importRows } from '../contacts/import.ts';
import { CLAIM_MS, MAX_ATTEMPTS, runClaimed, waitAfter } from '../core/claimed-job.ts';
import { csvOf } from '../core/csv.ts';
import { derivedId, type Id } from '../core/ids.ts';
import {
  errorFileKey,
  errorPieceKey,
  type ImportJob,
  type ImportProgress,
  importEvent,
  MAX_TOLD_ERRORS,
  sourceKey,
} from './import-job.ts';
import type { ImportEnd, ImportRunPorts } from './ports.ts';
import { type FilePart, type FileRow, readPart } from './read-part.ts';

/** After how long a part begins no further round, in ms. */
const PART_MS = 15_000;
/** Bytes that a part is read from: more than a record may have. */
const READ_BYTES = 1_048_576;

/** The pieces of errors that are kept by name: more come only of files that are nothing but errors. */
const MAX_PIECES = 1_000;

/** The id of the contact that a row of the file creates in an attempt at its part. */
const contactIdOf = (job: ImportJob, at: number, attempt: number): Id<'contact'> =>
  derivedId('contact', [job.id, String(job.rows + at), String(attempt)]);

/**
 * Imports the rows of a part. What an earlier attempt created is known by the ids that only it could give, so that a row which created a contact has created
 * it, however often its part was begun.
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
      mayGoOn: async () => (await ports.store.read(job.id))?.fence === job.fence,
      idOf: (at) => contactIdOf(job, at, job.attempts),
      wasCreatedBy: (at, id) => [...earlier, job.attempts].some((attempt) => contactIdOf(job, at, attempt) === id),
    },
  );
};

/** Keeps the errors of a part as a piece of the file; the pieces with it. */
const keepErrors = async ({ bucket }: ImportRunPorts, job: ImportJob, part: FilePart, { errors }: ImportedRows) => {
  if (errors.length === 0 || job.errors >= MAX_TOLD_ERRORS || job.errorPieces.length >= MAX_PIECES)
    return job.errorPieces;
  const rows = errors.map(({ at, message }) => ({ line: part.rows[at]?.line, message }));
  const [, ...lines] = csvOf(['line', 'message'], rows).split(/(?<=\r\n)/);
  await bucket.put(errorPieceKey(job, job.fence), lines.join(''));
  return [...job.errorPieces, job.fence];
};

const progressAfter = (job: ImportJob, part: FilePart, outcome: ImportedRows): Omit<ImportProgress, 'errorPieces'> => ({
  position: job.position + part.bytes,
  line: job.line + part.lines,
  rows: job.rows + part.rows.length,
  created: job.created + outcome.created,
  updated: job.updated + outcome.updated,
  ignored: job.ignored + outcome.ignored,
  errors: job.errors + outcome.errors.length,
  ...(part.columns && part.delimiter ? { columns: part.columns, delimiter: part.delimiter } : {}),
});

/** Joins the pieces of errors into one file. */
const joinErrors = async ({ bucket }: ImportRunPorts, job: ImportJob): Promise<void> => {
  if (job.errorPieces.length === 0) return;
  const pieces: string[] = [];
  for (const fence of job.errorPieces) pieces.push(await bucket.text(errorPieceKey(job, fence)));
  await bucket.put(errorFileKey(job), csvOf(['line', 'message'], []) + pieces.join(''));
};

/** Ends a job; the file and the pieces of errors go after it, or with the bucket's rule. */
const end = async (ports: ImportRunPorts, job: ImportJob, how: ImportEnd): Promise<void> => {
  const joined = joinErrors(ports, job);
  // A job that cannot go on may be so because of the bucket: it ends all the same.
  await (how.problem === 'internal_error'
    ? joined.catch(() => ports.onFailure('errors of an import are lost'))
    : joined);
  if (!(await ports.store.end(job, how, importEvent({ ...job, status: how.status }, ports.clock())))) return;
  const pieces = job.errorPieces.map((fence) => errorPieceKey(job, fence));
  await ports.bucket
    .remove([sourceKey(job), ...pieces])
    .catch(() => ports.onFailure('the file of an import could not be removed'));
};

/** How a job ends whose next part is this one; undefined where it goes on. */
const endOf = (job: ImportJob, part: FilePart, isLast: boolean): ImportEnd | undefined => {
  if (part.rows.length > 0 || (part.bytes > 0 && !part.problem)) return undefined;
  if (part.problem) return { status: 'failed', problem: part.problem.code, problemAt: part.problem.at };
  return isLast && job.position >= job.size ? { status: 'completed' } : undefined;
};

const NO_PART: FilePart = { rows: [], bytes: 0, lines: 0 };

/** Takes one part on: the job with the next one claimed, or undefined where it ended or belongs to another worker. */
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
  const errorPieces = await keepErrors(ports, job, part, outcome);
  return ports.store.advance(job, { ...progressAfter(job, part, outcome), errorPieces }, ports.clock() + CLAIM_MS);
};

/** Ends a job that was cancelled or fails. A cancelled one ends between two parts, so that its figures are right. */
const endEarly = async (ports: ImportRunPorts, job: ImportJob): Promise<boolean> => {
  const isCancelled = job.status === 'cancelling' && job.attempts === 1;
  if (!isCancelled && job.attempts <= MAX_ATTEMPTS) return false;
  if (!isCancelled) ports.onGivenUp(job);
  await end(ports, job, isCancelled ? { status: 'cancelled' } : { status: 'failed', problem: 'internal_error' });
  return true;
};

/**
 * Goes on with an import. Each part is stored, then counted in one conditional write under the worker's claim; a part that was begun and not counted is done
 * again, and finds what it stored (docs/spec/contacts.md#import-jobs).
 */
export const runImport = (ports: ImportRunPorts, id: Id<'importJob'>): Promise<void> =>
  runClaimed(ports, id, { end: (job) => endEarly(ports, job), step: (job) => takePart(ports, job) });
