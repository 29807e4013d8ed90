import { CLAIM_MS, MAX_ATTEMPTS, runClaimed } from '../core/claimed-job.ts';
import { csvOf } from '../core/csv.ts';
import type { Id } from '../core/ids.ts';
import { CONTACT_COLUMNS, contactCells } from './contact-row.ts';
import {
  type ExportFormat,
  type ExportJob,
  type ExportProgress,
  exportEvent,
  exportFileKey,
  tailKey,
} from './export-job.ts';
import { EXPORT_COLUMNS, exportCells } from './export-row.ts';
import type { ExportedPage, ExportRunPorts } from './job-ports.ts';

/** A step reads no further page after this time, in ms. */
const STEP_MS = 10_000;
/** The maximum part number of S3: a job with more claims fails. */
const MAX_NUMBER = 10_000;

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
};

const HEADERS = { messages: csvOf(EXPORT_COLUMNS, []), contacts: csvOf(CONTACT_COLUMNS, []) } as const;

/** Formats a page as lines of the file. */
const linesOf = (format: ExportFormat, page: ExportedPage): string => {
  if (format === 'ndjson') return page.items.map((row) => `${JSON.stringify(row)}\n`).join('');
  const csv =
    page.kind === 'messages'
      ? csvOf(EXPORT_COLUMNS, page.items.map(exportCells))
      : csvOf(CONTACT_COLUMNS, page.items.map(contactCells));
  return csv.slice(HEADERS[page.kind].length);
};
const headerOf = ({ kind, format, cursor }: ExportJob): string =>
  format === 'csv' && cursor === undefined ? HEADERS[kind] : '';

/** The list or segment of the exported contacts was deleted: retries are useless. */
class SourceGone extends Error {
  override readonly name = 'SourceGone';
}

/** The rows that a step adds to the file. */
interface Read {
  readonly text: Buffer;
  readonly rows: number;
  readonly cursor: string | undefined;
}
/** Reads the next pages of a job, until they fill a part together with the previous rest, or the time is up. */
const readPages = async (ports: ExportRunPorts, job: ExportJob, room: number): Promise<Read> => {
  const startedAt = ports.clock();
  const texts = [Buffer.from(headerOf(job))];
  let { cursor } = job;
  let [rows, bytes] = [0, 0];
  do {
    const page = await ports.page(job, cursor);
    if (page === 'gone') throw new SourceGone();
    const text = Buffer.from(linesOf(job.format, page));
    texts.push(text);
    rows += page.items.length;
    bytes += text.length;
    cursor = page.nextCursor;
  } while (cursor !== undefined && bytes < room && ports.clock() - startedAt < STEP_MS);
  return { text: Buffer.concat(texts), rows, cursor };
};

/**
 * Uploads a part of the file; the first one starts the upload. Numbers derive from claims, so that no two workers write the same.
 */
const uploadPart = async ({ bucket }: ExportRunPorts, job: ExportJob, body: Buffer) => {
  const file = job.file ?? job.fence;
  const key = exportFileKey(job, file);
  const uploadId = job.uploadId ?? (await bucket.beginUpload(key, CONTENT_TYPES[job.format]));
  const etag = await bucket.uploadPart(key, uploadId, job.fence, body);
  return { file, uploadId, parts: [...job.parts, { number: job.fence, etag }] };
};

/** Runs one step: reads, and stores the result as a part or as the rest. */
const takeStep = async (ports: ExportRunPorts, job: ExportJob): Promise<ExportProgress> => {
  const { bucket } = ports;
  const before = job.tail === undefined ? Buffer.alloc(0) : await bucket.bytes(tailKey(job, job.tail));
  const { text, rows, cursor } = await readPages(ports, job, bucket.partBytes - before.length);
  const body = Buffer.concat([before, text]);
  const isLast = cursor === undefined && job.uploadId !== undefined;
  const isPart = body.length >= bucket.partBytes || (isLast && body.length > 0);
  const isTail = !isPart && body.length > 0;
  if (isTail) await bucket.put(tailKey(job, job.fence), body, CONTENT_TYPES[job.format]);
  const { file, uploadId, parts } = isPart ? await uploadPart(ports, job, body) : job;
  return {
    rows: job.rows + rows,
    bytes: job.bytes + text.length,
    parts,
    ...(cursor === undefined ? { isWhole: true } : { cursor }),
    ...(file === undefined ? {} : { file }),
    ...(uploadId === undefined ? {} : { uploadId }),
    ...(isTail ? { tail: job.fence } : {}),
  };
};

/** Completes the file of a job whose parts are all stored; returns its number. */
const makeFile = async ({ bucket }: ExportRunPorts, job: ExportJob): Promise<number> => {
  if (job.uploadId !== undefined && job.file !== undefined) {
    await bucket.completeUpload(exportFileKey(job, job.file), job.uploadId, job.parts);
    return job.file;
  }
  const body = job.tail === undefined ? Buffer.alloc(0) : await bucket.bytes(tailKey(job, job.tail));
  await bucket.put(exportFileKey(job, job.fence), body, CONTENT_TYPES[job.format]);
  return job.fence;
};

/** Removes the rest of a step, once it is in the file or in the next rest. The bucket's lifecycle rule deletes what remains. */
const removeTail = async ({ bucket, onFailure }: ExportRunPorts, job: ExportJob): Promise<void> => {
  if (job.tail === undefined) return;
  await bucket.remove([tailKey(job, job.tail)]).catch(() => onFailure('what an export left over could not be removed'));
};

const complete = async (ports: ExportRunPorts, job: ExportJob): Promise<void> => {
  const file = await makeFile(ports, job);
  const event = exportEvent(job, 'completed', ports.clock());
  if (await ports.store.end(job, { status: 'completed', file }, event)) await removeTail(ports, job);
};

/** Removes the objects of an unfinished job: the upload of its file, and the rest. */
export const dropFile = async ({ bucket }: Pick<ExportRunPorts, 'bucket'>, job: ExportJob): Promise<void> => {
  if (job.uploadId !== undefined && job.file !== undefined)
    await bucket.abortUpload(exportFileKey(job, job.file), job.uploadId);
  if (job.tail !== undefined) await bucket.remove([tailKey(job, job.tail)]);
};

/** Whether a job was cancelled during a step: what the step wrote is in no file, and its upload may be gone. */
const isCancelled = async ({ store }: ExportRunPorts, { id }: ExportJob): Promise<boolean> =>
  (await store.read(id).catch(() => undefined))?.status === 'cancelled';

/** Runs a step and records it; returns the job with the next step claimed, or undefined if it ended or another worker has it. */
const nextStep = async (ports: ExportRunPorts, job: ExportJob): Promise<ExportJob | undefined> => {
  if (job.isWhole) {
    await complete(ports, job);
    return undefined;
  }
  const progress = await takeStep(ports, job);
  const next = await ports.store.advance(job, progress, ports.clock() + CLAIM_MS);
  if (next) await removeTail(ports, job);
  else if (await isCancelled(ports, job)) await dropFile(ports, { ...job, ...progress }).catch(() => {});
  return next;
};

/** Fails a job, and aborts the upload of its file. */
const failExport = async (ports: ExportRunPorts, job: ExportJob): Promise<void> => {
  if (!(await ports.store.end(job, { status: 'failed' }, exportEvent(job, 'failed', ports.clock())))) return;
  await dropFile(ports, job).catch(() => ports.onFailure('what an export wrote could not be removed'));
};

/**
 * Continues an export. A step's data is in the bucket, under numbers of its own claim, before its progress is stored: a step whose progress
 * was not stored is repeated, and leaves no trace in the file (docs/spec/exports.md#export-jobs).
 */
export const runExport = (ports: ExportRunPorts, id: Id<'exportJob'>): Promise<void> =>
  runClaimed(ports, id, {
    async end(job) {
      const isOver = job.attempts > MAX_ATTEMPTS || job.fence > MAX_NUMBER;
      if (isOver) {
        ports.onFailed(job);
        await failExport(ports, job);
      }
      return isOver;
    },
    async step(job) {
      try {
        return await nextStep(ports, job);
      } catch (error) {
        if (await isCancelled(ports, job)) return undefined;
        if (!(error instanceof SourceGone)) throw error;
        await failExport(ports, job);
        return undefined;
      }
    },
  });
