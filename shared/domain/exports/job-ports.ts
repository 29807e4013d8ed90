import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { ContactExportRow } from './contact-row.ts';
import type { ExportJob, ExportProgress, ExportStatus, FilePart } from './export-job.ts';
import type { ExportRow } from './export-row.ts';

/** Objects of exports in the bucket. */
export interface ExportBucket {
  /** The minimum text size for an upload part: at least 5 MB, which S3 requires of every part but the last. */
  readonly partBytes: number;
  presignDownload(key: string, fileName: string): Promise<{ readonly url: string; readonly expiresAt: number }>;
  put(key: string, body: string | Buffer, contentType: string): Promise<void>;
  bytes(key: string): Promise<Buffer>;
  remove(keys: readonly string[]): Promise<void>;
  beginUpload(key: string, contentType: string): Promise<string>;
  /** Uploads a part of at least `pieceBytes` unless it is the last; returns its version. */
  uploadPart(key: string, uploadId: string, number: number, body: Buffer): Promise<string>;
  /** Completes an upload as an object; idempotent. */
  completeUpload(key: string, uploadId: string, parts: readonly FilePart[]): Promise<void>;
  abortUpload(key: string, uploadId: string): Promise<void>;
}

export interface ExportJobStore {
  /** Stores a job that is due immediately, unless another of its organization is running: then returns that one's id. */
  create(job: ExportJob): Promise<true | { readonly running: Id<'exportJob'> }>;
  read(id: Id<'exportJob'>): Promise<ExportJob | undefined>;
  /** Claims the next step of a job until a time (ms); undefined if the job has ended, or another worker has it. */
  claim(id: Id<'exportJob'>, now: number, until: number): Promise<ExportJob | undefined>;
  /** Stores a step's progress and claims the next one; returns the updated job, undefined if the claim was lost. */
  advance(job: ExportJob, progress: ExportProgress, until: number): Promise<ExportJob | undefined>;
  /** Releases a claim: from `at` (ms) on the step, with this number of attempts, may be claimed again. */
  release(job: ExportJob, at: number, attempts: number): Promise<void>;
  /** Cancels a job that is running, with its event. False where it has ended. */
  cancel(job: ExportJob, event: DomainEvent): Promise<boolean>;
  /** Ends a job, with its event and the number of its file. False if the claim was lost. */
  end(job: ExportJob, how: { status: ExportStatus; file?: number | undefined }, event: DomainEvent): Promise<boolean>;
}

export interface ExportJobPorts {
  readonly clock: Clock;
  readonly store: ExportJobStore;
  readonly bucket: ExportBucket;
  /** Enqueues a job. Best effort. */
  readonly enqueue: (job: Pick<ExportJob, 'id' | 'organizationId'>) => void;
}
/** The next rows of a job, newest first; without `nextCursor` these were the last. */
export type ExportedPage = { readonly nextCursor?: string } & (
  | { readonly kind: 'messages'; readonly items: readonly ExportRow[] }
  | { readonly kind: 'contacts'; readonly items: readonly ContactExportRow[] }
);
export interface ExportRunPorts extends ExportJobPorts {
  /** `gone`: the list or segment of the exported contacts was deleted. */
  readonly page: (job: ExportJob, cursor: string | undefined) => Promise<ExportedPage | 'gone'>;
  readonly onFailure: (detail: string) => void;
  /** Alerts the operator to a job that failed after the maximum attempts at a step. */
  readonly onFailed: (job: ExportJob) => void;
}
