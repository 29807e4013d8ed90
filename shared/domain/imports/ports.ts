import type { ImportPorts } from '../contacts/import.ts';
import type { Actor } from '../core/actor.ts';
import type { Refusal } from '../core/errors.ts';
import type { Id } from '../core/ids.ts';
import type { Clock } from '../core/time.ts';
import type { DomainEvent } from '../events/event.ts';
import type { ImportJob, ImportProblem, ImportProgress, SignedAddress, UploadAddress } from './import-job.ts';
import type { FileBytes, ParseContact } from './read-part.ts';

/** What the bucket has of a file; undefined when it has none. */
export interface StoredFile {
  readonly size: number;
  readonly etag: string;
}

/** Objects of jobs in the bucket. */
export interface ImportBucket {
  presignUpload(key: string, file: { readonly contentType: string; readonly size: number }): Promise<UploadAddress>;
  presignDownload(key: string, fileName: string): Promise<SignedAddress>;
  stat(key: string): Promise<StoredFile | undefined>;
  /** Up to `length` bytes from `from` on, of this version of the object and no other. */
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
  /** Starts a job that awaits its upload, unless another of its organization is on its way: then that one's id. False where it no longer awaits. */
  start(job: ImportJob, etag: string, now: number): Promise<boolean | { readonly running: Id<'importJob'> }>;
  /** Ends a job that awaits its upload, or asks the workers of one that runs to. False where it is neither any more. */
  cancel(job: ImportJob, now: number): Promise<boolean>;
  /** Claims the next part of a job until a time (ms); undefined where the job has ended, or another worker has it. */
  claim(id: Id<'importJob'>, now: number, until: number): Promise<ImportJob | undefined>;
  /** Stores a part's progress and claims the next one; the job as it is then, undefined where the claim was lost. */
  advance(job: ImportJob, progress: ImportProgress, until: number): Promise<ImportJob | undefined>;
  /** Gives a claim back: from `at` (ms) on the part, which was begun so often, may be claimed again. A claim that was lost is left alone. */
  release(job: ImportJob, at: number, attempts: number): Promise<void>;
  /** Ends a job, with its event. False where the claim was lost. */
  end(job: ImportJob, end: ImportEnd, event: DomainEvent): Promise<boolean>;
}

export interface ImportJobPorts {
  readonly clock: Clock;
  readonly store: ImportJobStore;
  readonly bucket: ImportBucket;
  /** Counts a start as lookups of people for who may not see them; 429 when the caller has none left. */
  readonly admit: (actor: Actor) => Promise<Refusal<'RATE_LIMITED'> | undefined>;
  /** Hands a job to a worker. Best effort. */
  readonly enqueue: (job: Pick<ImportJob, 'id' | 'organizationId'>) => void;
}
export interface ImportRunPorts extends ImportJobPorts {
  readonly contacts: ImportPorts;
  readonly parse: ParseContact;
  readonly onFailure: (detail: string) => void;
  /** Tells the operator of a job that is given up since each attempt at a part failed. */
  readonly onGivenUp: (job: ImportJob) => void;
}
