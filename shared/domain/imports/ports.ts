import type { ImportPorts } from '../contacts/import.ts';
import type { Actor } from '../core/actor.ts';
import type { Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { ImportJob, ImportProblem, ImportProgress, SignedAddress, UploadAddress } from './import-job.ts';
import type { FileBytes, ParseContact } from './read-part.ts';

/** A file's metadata in the bucket; undefined if there is none. */
export interface StoredFile {
  readonly size: number;
  readonly etag: string;
}

/** Objects of jobs in the bucket. */
export interface ImportBucket {
  presignUpload(key: string, file: { readonly contentType: string; readonly size: number }): Promise<UploadAddress>;
  presignDownload(key: string, fileName: string): Promise<SignedAddress>;
  stat(key: string): Promise<StoredFile | undefined>;
  /** Up to `length` bytes from `from` on, of exactly this version of the object. */
  read(key: string, etag: string, from: number, length: number): Promise<FileBytes | 'file_changed' | 'file_missing'>;
  put(key: string, body: string): Promise<void>;
  text(key: string): Promise<string>;
  remove(keys: readonly string[]): Promise<void>;
}

/** How a job ends. */
export interface ImportEnd {
  readonly status: 'cancelled' | 'completed' | 'failed';
  readonly problem?: ImportProblem | undefined;
  readonly problemAt?: number | undefined;
}

export interface ImportJobStore {
  create(job: ImportJob): Promise<void>;
  /** A job that is kept, or undefined. */
  read(id: Id<'importJob'>): Promise<ImportJob | undefined>;
  /**
   * Starts a job that awaits its upload, unless another of its organization is running: then returns that one's id. False if it is not
   * awaiting its upload.
   */
  start(job: ImportJob, etag: string, now: number): Promise<boolean | { readonly running: Id<'importJob'> }>;
  /** Ends a job that awaits its upload, or requests cancellation of a running one. False if it is neither. */
  cancel(job: ImportJob, now: number): Promise<boolean>;
  /** Claims the next part of a job until a time (ms); undefined if the job has ended, or another worker has it. */
  claim(id: Id<'importJob'>, now: number, until: number): Promise<ImportJob | undefined>;
  /** Stores a part's progress and claims the next one; returns the updated job, undefined if the claim was lost. */
  advance(job: ImportJob, progress: ImportProgress, until: number): Promise<ImportJob | undefined>;
  /** Releases a claim: from `at` (ms) on the part, with this number of attempts, may be claimed again. No effect if the claim was lost. */
  release(job: ImportJob, at: number, attempts: number): Promise<void>;
  /** Ends a job, with its event. False where the claim was lost. */
  end(job: ImportJob, end: ImportEnd, event: DomainEvent): Promise<boolean>;
}

export interface ImportJobPorts {
  readonly clock: Clock;
  readonly store: ImportJobStore;
  readonly bucket: ImportBucket;
  /** Counts a start as lookups of people, for callers who may not list them; 429 if the caller has none left. */
  readonly admit: (actor: Actor) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
  /** Enqueues a job. Best effort. */
  readonly enqueue: (job: Pick<ImportJob, 'id' | 'organizationId'>) => void;
}
export interface ImportRunPorts extends ImportJobPorts {
  readonly contacts: ImportPorts;
  readonly parse: ParseContact;
  readonly onFailure: (detail: string) => void;
  /** Alerts the operator to a job that failed after the maximum attempts at a part. */
  readonly onFailed: (job: ImportJob) => void;
}
